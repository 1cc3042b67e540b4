/** The code of the thread as a file; `undefined` in the source tree, where it is not built. */
export const THREAD_CODE: { readonly code: URL | string; readonly isText: boolean } | undefined =
  import.meta.url.endsWith(".js")
    ? { code: new URL("./prepare-thread.js", import.meta.url), isText: false }
    : undefined;
