export * from "./scan-rows";
export * from "./write-rows";

/** Where the memory that the caller may use begins. */
export const heapBase: usize = __heap_base;
