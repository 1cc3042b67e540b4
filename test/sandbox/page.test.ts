import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeHtml } from "../../src/sandbox/server.ts";
import { get, post, sandboxFor } from "./client.ts";

describe("the page for people", () => {
  it("shows tables, counts and records", async () => {
    const sandbox = await sandboxFor();
    await post(
      sandbox,
      Array.from({ length: 60 }, (_, index) => ({ cle: `K${index}`, montant: `${index}.50` })),
    );
    const { status, body, headers } = await get(sandbox, "/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("The first 50 of 60 records");
    expect(body).toContain('data-field="cle">K49</th><td data-field="montant" class="amount">49.50</td>');
    expect(body).not.toContain("K50");
    expect(body).toContain('<a href="/api/items/commandes/">');
  });

  it("shows one table at a time, with links to the others", async () => {
    const sandbox = await sandboxFor();
    const name = "é & b";
    await post(sandbox, [{ cle: "A1", montant: "1", digits: "0012" }]);
    await post(sandbox, [{ cle: "B1", x: "y" }], { path: `/api/items/${encodeURIComponent(name)}/` });
    const first = (await get(sandbox, "/")).body;
    expect(first).toContain('<a href="/?table=commandes" aria-current="page">commandes (1)</a>');
    expect([first.includes(">A1<"), first.includes(">B1<")]).toEqual([true, false]);
    // Whole numbers may be codes.
    expect(first).not.toContain('class="amount"');
    const [, other = ""] = /href="(\/\?table=%C3[^"]*)"/.exec(first) ?? [];
    const second = (await get(sandbox, other)).body;
    expect([second.includes(">A1<"), second.includes(">B1<")]).toEqual([false, true]);
  });

  it("shows an empty sandbox", async () => {
    const { body } = await get(await sandboxFor(), "/");
    expect(body).toContain("No table yet");
  });

  it("escapes everything that comes from elsewhere", async () => {
    const evil = `<script>alert("1")</script>'&`;
    const sandbox = await sandboxFor();
    await post(sandbox, [{ cle: evil, [evil]: evil }], { path: `/api/items/${encodeURIComponent(evil)}/` });
    const { body, headers } = await get(sandbox, "/");
    expect(body).not.toMatch(/<script/i);
    expect(body).toContain("&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("takes nothing from elsewhere and says its language", async () => {
    const { body } = await get(await sandboxFor(), "/");
    expect(body).not.toMatch(/src=|https?:|@import|url\(/);
    expect(body).toContain('<html lang="en">');
  });

  it("survives fields named like members of every object", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, '[{"cle":"1","constructor":"a","__proto__":"b","toString":"c"},{"cle":"2"}]');
    expect((await get(sandbox, "/")).body).toMatch(/>a<\/td><td [^>]*>b<\/td><td [^>]*>c<\/td>/);
  });

  it("shortens long values", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, [{ cle: "1", text: "x".repeat(10_000) }]);
    expect((await get(sandbox, "/")).body).toContain(`>${"x".repeat(200)}…</td>`);
  });

  it("leaves no sign that HTML would read, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!#\d\d;)/);
      }),
    );
  });
});
