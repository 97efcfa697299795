// The other side of `scripts/bench reference`: the same exchange as Reference.cpp, with ONNX Runtime at its best.
//
// usage: node onnxruntime.mjs FOLDER-OF-ONNXRUNTIME MODEL.onnx INPUTS.npz THREADS
import path from 'node:path';
import readline from 'node:readline';
import { createRequire } from 'node:module';
import { readNpz } from '../../scripts/oracle.d/npz.mjs';

const [runtime, model, inputs, threads] = process.argv.slice(2);
const ort = createRequire(path.join(runtime, 'package.json'))('onnxruntime-node');
const session = await ort.InferenceSession.create(model, {
  graphOptimizationLevel: 'all',
  intraOpNumThreads: Number(threads),
  interOpNumThreads: 1,
  executionMode: 'sequential',
  logSeverityLevel: 3,
});
const feeds = {};
for (const [name, { type, dims, data }] of Object.entries(readNpz(inputs)))
  feeds[name] = new ort.Tensor(type, data, dims);
await session.run(feeds);
console.log('ready');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const begin = process.hrtime.bigint();
  const processor = process.cpuUsage();
  await session.run(feeds);
  const wall = Number(process.hrtime.bigint() - begin) / 1e6;
  const { user, system } = process.cpuUsage(processor);
  console.log(`${wall} ${(user + system) / 1e3}`);
}
