import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/cli/config/read-config.ts";
import { casesOf } from "../../support/parted.ts";

const read = (text: string): unknown => readConfig(text, "/srv/c.json");
/** A section of a table, of a field of it, and of a profile. */
const PLACES: Readonly<Record<string, (section: string) => string>> = {
  top: (text) => text,
  table: (text) => `{"tables":{"orders":${text}}}`,
  field: (text) => `{"tables":{"orders":{"fields":${text}}}}`,
  profile: (text) => `{"profiles":{"prod":${text}}}`,
};

describe("readConfig", () => {
  it.each(casesOf`
    an unknown key at the top | top | {"table":{}} | table: unknown key; known here: profiles, tables
    an unknown key of a table | table | {"batch-size":5} | tables.orders."batch-size": unknown key; known here: batchSize, 
    a service in a table | table | {"url":"x"} | tables.orders.url: unknown key
    a service at the top | top | {"url":"x"} | url: unknown key
    a table's key at the top | top | {"decimal":","} | decimal: unknown key; known here: profiles, tables
    a key near none | table | {"zzzzzzzz":5} | tables.orders.zzzzzzzz: unknown key; known here: batchSize, batchBytes
    an unknown key of a field | field | {"state":{"requird":true}} | tables.orders.fields.state.requird: unknown key; known here: type, default, required, pattern, oneOf
    a key that objects have by themselves | table | {"constructor":1} | tables.orders.constructor: unknown key
    a token | profile | {"token":"canary"} | profiles.prod.token: a token must not be in the config: put it into a file that "tokenFile" names
    a token in a header | profile | {"headers":{"Authorization":"Bearer canary"}} | profiles.prod.headers: a token must not be in the config
    a header that cannot be sent | profile | {"headers":{"a b":"canary"}} | profiles.prod.headers: "a b" is not a header name
    a list at the top | top | [] | expected an object, not a list
    a number that is none | table | {"batchSize":true} | tables.orders.batchSize: expected a text or a number, not true
    a count that is none | table | {"batchSize":0} | tables.orders.batchSize: "0": expected a whole number of at least 1
    a flag as text | table | {"header":"no"} | tables.orders.header: expected true or false, not a text
    a column without a name | table | {"drop":["a",""]} | tables.orders.drop: "a ": expected names
    a wrong type | field | {"paid":{"type":"datum"}} | tables.orders.fields.paid.type: "datum": expected text, text! (nothing in it is noted), digits
    a type for the key | field | {"cle":{"type":"digits"}} | tables.orders.fields.cle: cle=digits: cle is the key
    a pattern that is none | field | {"state":{"pattern":"("}} | tables.orders.fields.state.pattern: "(": expected a regular expression
    a name that is no field | field | {"order no":{}} | tables.orders.fields."order no": the field "order no": expected a letter
    a column mapped to no field | table | {"map":{"Order No":"order no"}} | tables.orders.map: "order no": expected a field
    one key for all rows | table | {"set":{"cle":"A"}} | tables.orders.set: cle=A: one cle for every row
  `)("refuses %s", (_, place = "", section = "", message) => {
    expect(() => read(PLACES[place]!(section))).toThrow(`/srv/c.json: ${message}`);
  });

  it("shows no value that might be secret", () => {
    for (const section of ['{"token":"canary"}', '{"headers":{"x-key":["canary"]}}'])
      expect(() => read(PLACES["profile"]!(section))).toThrow(/^(?![^]*canary)/);
  });
});
