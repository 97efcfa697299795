// A minimal protobuf reader and writer, with which every value of an ONNX model is made one of its outputs.
//
// A message is a sequence of fields, each with a number and one of four encodings. If a field that holds a
// message occurs twice, the second message is merged into the first. So outputs are added to the graph of a
// model by appending a second graph that holds only outputs
// (https://protobuf.dev/programming-guides/encoding/#last-one-wins).

// Field numbers in onnx.proto.
const Model = { graph: 7 };
const Graph = { node: 1, initializer: 5, output: 12 };
const Node = { output: 2 };
const Tensor = { dataLocation: 14 };
const ValueInfo = { name: 1 };

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    if (at >= bytes.length || shift > 63n) throw new Error('the model is damaged or truncated');
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [Number(value), at];
  }
}

// Calls visit(number, content) for each field of a message. The content is a number for varints, else the
// bytes.
function forEachField(bytes, visit) {
  for (let at = 0; at < bytes.length; ) {
    let tag, value;
    [tag, at] = readVarint(bytes, at);
    const encoding = tag & 7;
    if (encoding === 0) {
      [value, at] = readVarint(bytes, at);
    } else {
      let length = { 1: 8, 5: 4 }[encoding];
      if (encoding === 2) [length, at] = readVarint(bytes, at);
      if (length === undefined || at + length > bytes.length) throw new Error('the model is damaged or truncated');
      value = bytes.subarray(at, at + length);
      at += length;
    }
    visit(Math.floor(tag / 8), value);
  }
}

function fieldsOf(bytes, wanted) {
  const found = [];
  forEachField(bytes, (number, value) => number === wanted && found.push(value));
  return found;
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}
const field = (number, content) => Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);

// Whether any initialiser of the main graph stores its data in an external file.
export function hasExternalData(model) {
  const graphs = fieldsOf(model, Model.graph);
  return graphs.some((graph) =>
    fieldsOf(graph, Graph.initializer).some((tensor) => fieldsOf(tensor, Tensor.dataLocation).includes(1)));
}

// Returns the model with every value that its main graph computes added to the outputs.
export function withAllOutputs(model) {
  const outputs = new Set();
  const computed = new Set();
  for (const graph of fieldsOf(model, Model.graph)) {
    for (const output of fieldsOf(graph, Graph.output))
      for (const name of fieldsOf(output, ValueInfo.name)) outputs.add(name.toString());
    for (const node of fieldsOf(graph, Graph.node))
      for (const name of fieldsOf(node, Node.output)) computed.add(name.toString());
  }
  const added = [...computed].filter((name) => name && !outputs.has(name));
  const lines = added.map((name) => field(Graph.output, field(ValueInfo.name, Buffer.from(name))));
  return Buffer.concat([model, field(Model.graph, Buffer.concat(lines))]);
}
