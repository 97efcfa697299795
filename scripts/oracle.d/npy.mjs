// Reads and writes .npy arrays: type, shape and the bytes of the elements, little-endian and row-major.

// Element types by their names in ONNX Runtime: numpy's type string, and the JavaScript array that holds the
// elements. 16-bit floats are held as bit patterns.
export const types = {
  float32: { descr: '<f4', Elements: Float32Array },
  float64: { descr: '<f8', Elements: Float64Array },
  float16: { descr: '<f2', Elements: Uint16Array },
  int8: { descr: '|i1', Elements: Int8Array },
  int16: { descr: '<i2', Elements: Int16Array },
  int32: { descr: '<i4', Elements: Int32Array },
  int64: { descr: '<i8', Elements: BigInt64Array },
  uint8: { descr: '|u1', Elements: Uint8Array },
  uint16: { descr: '<u2', Elements: Uint16Array },
  uint32: { descr: '<u4', Elements: Uint32Array },
  uint64: { descr: '<u8', Elements: BigUint64Array },
  bool: { descr: '|b1', Elements: Uint8Array },
};

const magic = Buffer.from('\x93NUMPY', 'latin1');

export function decodeNpy(file, place) {
  if (file.length < 12 || !file.subarray(0, 6).equals(magic)) throw new Error(`${place}: not an .npy array`);
  const wide = file[6] > 1;
  const begin = wide ? 12 : 10;
  const end = begin + (wide ? file.readUInt32LE(8) : file.readUInt16LE(8));
  const header = file.toString('latin1', begin, end);
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1];
  const type = Object.keys(types).find((name) => types[name].descr === descr);
  if (!type || shape === undefined) throw new Error(`${place}: arrays of type ${descr} are not supported`);
  const dims = shape.split(',').filter((text) => text.trim()).map(Number);
  if (/'fortran_order':\s*True/.test(header) && dims.length > 1)
    throw new Error(`${place}: arrays in Fortran order are not supported`);
  const { Elements } = types[type];
  const bytes = dims.reduce((product, dim) => product * dim, Elements.BYTES_PER_ELEMENT);
  if (end + bytes !== file.length) throw new Error(`${place}: ${file.length - end} bytes of data, expected ${bytes}`);
  // A copy, so that the elements are aligned in memory.
  const data = new Uint8Array(file.subarray(end)).buffer;
  return { type, dims, data: new Elements(data) };
}

// Encodes a tensor as an .npy array; returns header and data as two buffers.
export function encodeNpy({ type, dims, data }, place) {
  if (!types[type]) throw new Error(`${place}: a tensor of type ${type} cannot be stored in an .npz file`);
  const tuple = dims.length === 1 ? `(${dims[0]},)` : `(${dims.join(', ')})`;
  const text = `{'descr': '${types[type].descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11) + '\n';
  const header = Buffer.alloc(10 + padded.length);
  magic.copy(header);
  header[6] = 1;
  header.writeUInt16LE(padded.length, 8);
  header.write(padded, 10, 'latin1');
  return [header, Buffer.from(data.buffer, data.byteOffset, data.byteLength)];
}
