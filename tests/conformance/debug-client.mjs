// The session of tests/conformance/debug-client: breakpoints, steps in both directions, variables, memory, watchpoints.
//
// usage: node debug-client.mjs CLIENT-LIBRARY TILERIG-DEBUG PROGRAM
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [library, adapter, program] = process.argv.slice(2);
const { DebugClient } = createRequire(import.meta.url)(library);
const client = new DebugClient(adapter, "--dap", "tilerig");
client.defaultTimeout = 60_000;

// Sends a request that moves the run, and returns the stop that follows.
async function stopAfter(command, args) {
  const [, stopped] = await Promise.all([client.send(command, args), client.waitForEvent("stopped")]);
  assert.equal(stopped.body.allThreadsStopped, true);
  return stopped.body;
}
const body = async (command, args) => (await client.send(command, args)).body;

try {
  await client.start();
  const abilities = (await client.initializeRequest()).body;
  assert(abilities.supportsStepBack && abilities.supportsDataBreakpoints && abilities.supportsDisassembleRequest);
  await assert.rejects(client.send("threads"), /no program has been launched/);
  await assert.rejects(client.launch({ program: "no-such-file.trb" }), /no-such-file/);
  await Promise.all([client.launchRequest({ program, stopOnEntry: true }), client.waitForEvent("initialized")]);

  // The list of layers, and a breakpoint on one.
  const { sources } = await body("loadedSources", {});
  assert.equal(sources.length, 1 + 4); // the layers, and four tiles
  const layers = (await body("source", { sourceReference: sources[0].sourceReference })).content.trim().split("\n");
  const line = layers.findIndex((text) => text.includes("fire3")) + 1;
  assert(line > 0);
  const set = await body("setBreakpoints", { source: sources[0], breakpoints: [{ line }] });
  assert.deepEqual(set.breakpoints.map((point) => [point.verified, point.line]), [[true, line]]);
  const named = await body("setFunctionBreakpoints", { breakpoints: [{ name: "no-such-layer" }] });
  assert.equal(named.breakpoints[0].verified, false);
  assert.match(named.breakpoints[0].message, /no-such-layer/);
  assert.equal((await stopAfter("configurationDone", {})).reason, "entry");
  const { threads } = await body("threads");
  assert.equal(threads.length, 4 * 5);

  const first = await stopAfter("continue", { threadId: 1 });
  assert.equal(first.reason, "breakpoint");
  assert.deepEqual(first.hitBreakpointIds, [set.breakpoints[0].id]);

  // Its stack: the instruction, and below the layer.
  const { stackFrames } = await body("stackTrace", { threadId: first.threadId });
  assert.equal(stackFrames.length, 2);
  assert.match(stackFrames[1].name, /fire3/);
  assert.equal(stackFrames[1].line, line);
  const listing = (await body("source", { sourceReference: stackFrames[0].source.sourceReference })).content.split("\n");
  const mnemonic = stackFrames[0].name.split(" ")[0];
  assert(listing[stackFrames[0].line - 1].trim().startsWith(mnemonic));
  const { instructions } = await body("disassemble", {
    memoryReference: stackFrames[0].instructionPointerReference, instructionOffset: 0, instructionCount: 2 });
  assert(instructions[0].instruction.startsWith(mnemonic));

  // The engine, and a tensor with its elements.
  const { scopes } = await body("scopes", { frameId: stackFrames[0].id });
  const engine = (await body("variables", { variablesReference: scopes[0].variablesReference })).variables;
  const cycle = Number(engine.find((entry) => entry.name === "cycle").value);
  assert(cycle > 0);
  const tensors = (await body("variables", { variablesReference: scopes.at(-1).variablesReference })).variables;
  const image = tensors.find((entry) => entry.indexedVariables && /\[1, 3, 48, 48\]/.test(entry.value));
  let inner = image.variablesReference;
  for (let axis = 0; axis < 3; ++axis)
    inner = (await body("variables", { variablesReference: inner, start: 0, count: 1 })).variables[0].variablesReference;
  const row = (await body("variables", { variablesReference: inner, start: 8, count: 4 })).variables;
  assert.deepEqual(row.map((entry) => entry.name), ["[8]", "[9]", "[10]", "[11]"]);
  const printed = (await body("evaluate", { expression: `${image.name}[0, 0, 0, 8:12]`, context: "hover" })).result;
  assert.deepEqual(printed.split("\n")[1].match(/[-\d.e]+/g), row.map((entry) => entry.value));

  // A step and back again end at the same cycle, with the same memory.
  const memory = async () => (await body("readMemory", { memoryReference: "ocm0:0x0", count: 4096 })).data;
  const before = await memory();
  await stopAfter("next", { threadId: first.threadId });
  await stopAfter("next", { threadId: first.threadId });
  await stopAfter("stepBack", { threadId: first.threadId });
  const back = await stopAfter("stepBack", { threadId: first.threadId });
  assert.match(back.description, new RegExp(`^cycle ${cycle.toLocaleString("en-US")}\\b`));
  assert.equal(await memory(), before);

  // A watchpoint on the output, from both sides; who wrote it.
  const output = tensors.find((entry) => /\[1, 1000\]/.test(entry.value));
  const info = await body("dataBreakpointInfo", { name: output.name });
  await body("setDataBreakpoints", { breakpoints: [{ dataId: info.dataId, accessType: "write" }] });
  const written = await stopAfter("continue", { threadId: 1 });
  assert.equal(written.reason, "data breakpoint");
  const who = (await body("evaluate", { expression: `who-wrote ${output.memoryReference}`, context: "repl" })).result;
  assert.match(who, /written in cycles|nothing has written it/);
  assert.equal((await stopAfter("reverseContinue", { threadId: 1 })).reason, "data breakpoint");
  assert.equal((await stopAfter("reverseContinue", { threadId: 1 })).reason, "breakpoint");
  await assert.rejects(client.send("evaluate", { expression: "nonsense", context: "repl" }), /no such command/);

  // Without breakpoints, it runs to its end.
  await body("setDataBreakpoints", { breakpoints: [] });
  await body("setBreakpoints", { source: sources[0], breakpoints: [] });
  assert.equal((await stopAfter("continue", { threadId: 1 })).reason, "end");
  await Promise.all([client.continueRequest({ threadId: 1 }), client.waitForEvent("terminated")]);
  console.log("as expected");
} finally {
  await client.stop();
}
