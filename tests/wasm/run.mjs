// Checks the files beside this one with the library in WebAssembly, and compares what it says with `expected.txt`, which a
// native test compares as well: `node run.mjs PATH.wasm`.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const files = join(here, "files");
const names = readdirSync(files, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(files.length + 1).replaceAll("\\", "/"));

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { push, check, pull } = instance.exports;
const encoder = new TextEncoder();
for (const name of names) {
  for (const part of [name, readFileSync(join(files, name), "utf8")]) {
    encoder.encode(`${part}\0`).forEach((byte) => push(byte));
  }
}
const found = new TextDecoder().decode(Uint8Array.from({ length: check() }, (_, at) => pull(at)));
const expected = readFileSync(join(here, "expected.txt"), "utf8");
if (found !== expected) {
  console.error(`expected:\n${expected}\nfound:\n${found}`);
  process.exit(1);
}
console.log(`${names.length} files checked in WebAssembly, as natively`);
