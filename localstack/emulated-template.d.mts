export function emulatedTemplate(template: object, endpoint: string): Record<string, unknown>;
