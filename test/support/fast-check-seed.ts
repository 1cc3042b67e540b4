import fc from "fast-check";
import { draws } from "./draws.ts";

/** Property tests draw the same values in every run; FC_SEED draws others. */
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_161_107), ...draws(100) });
