/** The shapes of `stacks.mjs`, for whoever is compiled. */

export function bundleShop(): Promise<string>;
export function bundleWhole(): Promise<string>;
export function assembly(name: string): string;
export function deployAssembly(endpoint: string, name: string, stackName: string): Promise<Record<string, string>>;
export function destroyAssembly(endpoint: string, name: string, stackName: string): Promise<void>;
