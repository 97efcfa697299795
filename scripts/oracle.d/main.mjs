// Main program of scripts/oracle, called once ONNX Runtime is installed: reads the model and the inputs, runs
// the model, and writes its values to an .npz file.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { types } from './npy.mjs';
import { readNpz, writeNpz } from './npz.mjs';
import { hasExternalData, withAllOutputs } from './onnx.mjs';

function fail(code, message) {
  console.error(`scripts/oracle: ${message}`);
  process.exit(code);
}

function readArguments(words) {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: {
        input: { type: 'string', short: 'i' },
        output: { type: 'string', short: 'o' },
        'outputs-only': { type: 'boolean' },
        optimise: { type: 'boolean' },
        'wide-sums': { type: 'boolean' },
        threads: { type: 'string', default: '1' },
      },
    });
    const threads = Number(values.threads);
    if (positionals.length !== 1 || !values.output)
      throw new Error('expected one MODEL.onnx and -o OUT.npz; see scripts/oracle --help');
    if (!Number.isInteger(threads) || threads < 1) throw new Error('--threads must be a whole number of at least 1');
    return { ...values, threads, model: positionals[0] };
  } catch (error) {
    return fail(2, error.message);
  }
}

// Loads the model from memory. A model with external data is loaded from a temporary file beside the
// original, so that ONNX Runtime finds the data.
async function openSession(ort, options) {
  const original = fs.readFileSync(options.model);
  const model = options['outputs-only'] ? original : withAllOutputs(original);
  const settings = {
    graphOptimizationLevel: options.optimise ? 'all' : options['wide-sums'] ? 'extended' : 'disabled',
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
    // Converts signed constant weights to unsigned ones: ONNX Runtime's AVX2 code adds their products without
    // saturation. The conversion is one of its extended optimisations.
    ...(options['wide-sums'] && { extra: { session: { x64quantprecision: '1' } } }),
  };
  if (!hasExternalData(original)) return ort.InferenceSession.create(model, settings);
  const beside = path.join(path.dirname(options.model), `.oracle-${process.pid}.onnx`);
  try {
    fs.writeFileSync(beside, model);
    return await ort.InferenceSession.create(beside, settings);
  } finally {
    fs.rmSync(beside, { force: true });
  }
}

// Adds the file name of the model to errors of ONNX Runtime.
async function ofModel(options, promise) {
  try {
    return await promise;
  } catch (error) {
    throw new Error(`${options.model}: ${error.message}`);
  }
}

async function run(ort, options) {
  const inputs = options.input ? readNpz(options.input) : {};
  const session = await ofModel(options, openSession(ort, options));
  const feeds = {};
  for (const [name, { type, dims, data }] of Object.entries(inputs)) {
    if (!session.inputNames.includes(name))
      throw new Error(`${options.input}: the model has no input '${name}'; its inputs are: ${session.inputNames.join(', ')}`);
    feeds[name] = new ort.Tensor(type, data, dims);
  }
  const results = await ofModel(options, session.run(feeds));
  const tensors = session.outputNames.map((name) => [name, results[name]]);
  for (const [name, tensor] of tensors)
    if (!types[tensor.type]) throw new Error(`tensor '${name}' has the type ${tensor.type}, which .npz files cannot store`);
  writeNpz(options.output, tensors);
  console.log(`${options.output}: ${tensors.length} tensor${tensors.length === 1 ? '' : 's'}`);
}

const [runtime, ...words] = process.argv.slice(2);
const options = readArguments(words);
const ort = createRequire(path.join(runtime, 'package.json'))('onnxruntime-node');
run(ort, options).catch((error) => fail(3, error.message));
