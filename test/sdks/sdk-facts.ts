/** The expected discovery of each deployment, and the protocol version in use. */

export interface SdkFacts {
  /** Its title in `docs/compatibility.md`. */
  readonly title: string;
  /** As in the header of its discovery response. */
  readonly sdkVersion: string;
  readonly protocolVersions: readonly [least: number, most: number];
  /** The highest version that the SDK and the control plane both speak. */
  readonly agreedVersion: number;
}

export const SDK_FACTS: Readonly<Record<string, SdkFacts>> = {
  python: {
    title: "Python",
    sdkVersion: "restate-sdk-python/1.3.0",
    protocolVersions: [5, 7],
    agreedVersion: 7,
  },
  java: { title: "Java", sdkVersion: "restate-sdk-java/2.4.0_2a001aec", protocolVersions: [5, 6], agreedVersion: 6 },
  go: { title: "Go", sdkVersion: "restate-sdk-go/v1.2.0", protocolVersions: [5, 7], agreedVersion: 7 },
  rust: { title: "Rust", sdkVersion: "restate-sdk-rust/0.13.0", protocolVersions: [5, 7], agreedVersion: 7 },
};
