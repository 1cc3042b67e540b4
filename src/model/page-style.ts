/**
 * The appearance of each page that is made for people: light or dark as the reader has set it. It refers to no other file.
 */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --back: #f6f8fa; --sheet: #fff; --front: #1a1d21; --soft: #57606a; --rule: #d8dee4;
  --good: #1a7f37; --bad: #b42318; --warn: #7d4e00; --chart: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1214; --sheet: #171b1f; --front: #e6e8ea; --soft: #9aa4ae;
  --rule: #30363c; --good: #56d364; --bad: #ff8a80; --warn: #e3b341; --chart: #6cb6ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 68rem; background: var(--back); color: var(--front);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 0 0 .75rem; }
`;
