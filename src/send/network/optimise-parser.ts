import wasm from "undici/lib/llhttp/llhttp_simd-wasm.js";

/** The part of the standard WebAssembly that is used here, whose types come with those for browsers only. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly { readonly name: string }[];
  };
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** What is used here of the exports of llhttp, undici's parser. */
interface Parser {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly malloc: (bytes: number) => number;
  readonly llhttp_alloc: (type: number) => number;
  readonly llhttp_execute: (parser: number, at: number, bytes: number) => number;
}

/** llhttp's number for a parser of answers. */
const RESPONSE = 2;
/** Node 20 would optimise after one answer, 22 after a few, as many as a short push gets. */
const ANSWERS = 20;
const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
/** As long as this exists, V8 gives its code to whoever compiles the same bytes. */
let kept: { readonly exports: object } | undefined;

/**
 * Makes V8 optimise undici's parser from now on. Otherwise it does so from the first answers on, for some 100 ms in a
 * thread of its own, and Node (up to 22) does not end before: that was a third of a push of ten rows. Now it happens while
 * the files are read. The compiler takes 34 MB for it: in a long push they would come on top of all that sending needs.
 * Never throws: without it, a push takes longer, no more.
 */
export function optimiseParser(): void {
  try {
    const module = new WebAssembly.Module(wasm);
    const env = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0]));
    kept = new WebAssembly.Instance(module, { env });
    const { memory, malloc, llhttp_alloc, llhttp_execute } = kept.exports as Parser;
    const parser = llhttp_alloc(RESPONSE);
    const at = malloc(ANSWER.length);
    new Uint8Array(memory.buffer).set(ANSWER, at);
    for (let answer = 0; answer < ANSWERS; answer += 1) llhttp_execute(parser, at, ANSWER.length);
  } catch {
    // Another version of undici may have another parser.
  }
}
