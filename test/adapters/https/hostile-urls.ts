/** Addresses with which an attacker could try to reach protected destinations, grouped by trick. */

const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
];
const LOOPBACK_SPELLED = [
  "0177.0.0.1",
  "0177.1",
  "017700000001",
  "127.0.0.1.",
  "127。0。0。1",
  "127．0．0．1",
  "127｡0｡0｡1",
];
const LOOPBACK_LETTERS = ["①②⑦.0.0.1", "１２７.0.0.1", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "00000177.0.0.1"];
const LOOPBACK_IPV6 = [
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "[2002:7f00:0001:0:0:0:0:1]",
];

/** The metadata services of clouds: their addresses, the same addresses in other bases, and IPv6 addresses that embed them. */
const METADATA = [
  "169.254.169.254",
  "169.254.43518",
  "169.16689662",
  "2852039166",
  "0xa9fea9fe",
  "0xa9.0xfe.0xa9.0xfe",
  "0251.0376.0251.0376",
  "025177524776",
  "169.254.169.254.",
  "169。254。169。254",
  "[::ffff:169.254.169.254]",
  "[::ffff:a9fe:a9fe]",
  "[::a9fe:a9fe]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "[fd00:ec2::254]",
  "[fd00:0ec2:0:0:0:0:0:254]",
  "100.100.100.200",
  "1684300232",
  "168.63.129.16",
  "[::ffff:168.63.129.16]",
  "[fd20:ce::254]",
];

/** Local addresses of the Lambda runtime, where the connecting function gets its events and credentials. */
const LAMBDA_RUNTIME = [
  "127.0.0.1:9001",
  "localhost:9001",
  "169.254.100.1:9001",
  "169.254.79.1",
  "169.254.79.129:2000",
];
const CREDENTIALS = ["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "169.254.169.253", "169.254.169.123"];

const PRIVATE = [
  "10.0.0.1",
  "10.255.255.255",
  "167772161",
  "0x0a000001",
  "012.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "0xac100001",
  "192.168.0.1",
  "192.168.1",
  "3232235521",
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:c0a8:1]",
  "[64:ff9b::a00:1]",
  "[2002:c0a8:1::]",
  "[2002:ac10:1::1]",
];

const LINK_LOCAL = ["169.254.0.1", "169.254.255.255", "[fe80::1]", "[febf::1]", "[::ffff:169.254.1.1]", "[fec0::1]"];
const UNSPECIFIED = [
  "0",
  "0.0.0.0",
  "0.1",
  "0.0.0.1",
  "0x0",
  "00",
  "[::]",
  "[::ffff:0.0.0.0]",
  "[::ffff:0:0]",
  "[64:ff9b::]",
];
const SHARED = ["100.64.0.1", "100.127.255.254", "0x64400001", "[::ffff:100.64.0.1]"];
const GROUPS = ["224.0.0.1", "239.255.255.250", "255.255.255.255", "240.0.0.1", "4294967295", "[ff02::1]", "[ff05::2]"];
const RESERVED = ["192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "[100::1]", "[2001:db8::1]"];
const TUNNELS = ["[2001:0:7f00:1::]", "[2001::a9fe:a9fe]", "[64:ff9b:1::7f00:1]", "192.88.99.1"];
const UNASSIGNED = ["[4000::1]", "[5f00::1]", "[1fff::1]", "[a000::7f00:1]", "[::1:0:0:0]", "[fbff::1]", "[3fff::1]"];

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  loopback: [...LOOPBACK, ...LOOPBACK_SPELLED, ...LOOPBACK_LETTERS, ...LOOPBACK_IPV6],
  metadata: METADATA,
  "the function itself": LAMBDA_RUNTIME,
  credentials: CREDENTIALS,
  private: PRIVATE,
  "link-local": LINK_LOCAL,
  unspecified: UNSPECIFIED,
  "carrier-grade NAT": SHARED,
  groups: GROUPS,
  reserved: RESERVED,
  tunnels: TUNNELS,
  unassigned: UNASSIGNED,
};

/** URLs whose host looks like another one. */
const DISGUISED = [
  "http://public.example@127.0.0.1/",
  "http://public.example:80@169.254.169.254/",
  "http://public.example%40127.0.0.1@10.0.0.1/",
  "http://127.0.0.1#@public.example/",
  "http://127.0.0.1?@public.example/",
  "http:\\\\127.0.0.1\\public.example",
  "http:/127.0.0.1/",
  "http:127.0.0.1",
  "http://127.0.0.1\t/",
  "http://127.0.\n0.1/",
  " http://169.254.169.254/latest/meta-data/ ",
  "HTTP://169.254.169.254/",
  "http://169.254.169.254\\@public.example/",
  "https://[::1]:443/",
  "https://169.254.169.254/",
];

/** URLs that are no address of a deployment. */
export const NO_WAY: readonly string[] = [
  "file:///etc/passwd",
  "ftp://127.0.0.1/",
  "gopher://127.0.0.1:6379/_FLUSHALL",
  "unix:///var/run/docker.sock",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "ws://127.0.0.1/",
  "ldap://169.254.169.254/",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
  "http://",
  "http://[::1",
  "http://127.0.0.1:99999/",
  "//169.254.169.254/",
  "169.254.169.254",
];

export const HOSTILE_URLS: readonly (readonly [trick: string, url: string])[] = [
  ...Object.entries(HOSTS).flatMap(([trick, hosts]) => hosts.map((host) => [trick, `http://${host}/`] as const)),
  ...DISGUISED.map((url) => ["disguised", url] as const),
];
