// Reads and writes .npz files, which are zip archives of .npy arrays. Reads stored and deflated entries,
// writes stored ones.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { decodeNpy, encodeNpy } from './npy.mjs';

// Upper bound of sizes and offsets in a zip file without the zip64 extension.
const most = 0xffffffff;

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; ++bit) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

// CRC-32 of the concatenated buffers. Uses zlib.crc32 of newer Node versions; empty buffers are left out,
// since they would reset its state.
function crc32(buffers) {
  const parts = buffers.filter((buffer) => buffer.length > 0);
  if (zlib.crc32) return parts.reduce((crc, buffer) => zlib.crc32(buffer, crc), 0);
  let crc = ~0;
  for (const buffer of parts)
    for (const byte of buffer) crc = crcTable[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

// Reads all tensors of an .npz file: {name: {type, dims, data}}.
export function readNpz(path) {
  const file = fs.readFileSync(path);
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error(`${path}: not an .npz file`);
  const tensors = {};
  let at = file.readUInt32LE(end + 16);
  if (at === most) throw new Error(`${path}: archives in the zip64 form are not supported`);
  for (let left = file.readUInt16LE(end + 10); left > 0; --left) {
    const method = file.readUInt16LE(at + 10);
    const packed = file.readUInt32LE(at + 20);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => file.readUInt16LE(at + field));
    const name = file.toString('utf8', at + 46, at + 46 + nameLength);
    const local = file.readUInt32LE(at + 42);
    const begin = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const content = file.subarray(begin, begin + packed);
    const place = `${path}: ${name}`;
    tensors[name.replace(/\.npy$/, '')] = decodeNpy(method ? zlib.inflateRawSync(content) : content, place);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return tensors;
}

// The fields that the local header of a zip entry and its central directory record have in common.
function entryFields(entry) {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // version needed
  fields.writeUInt16LE(0x800, 2); // names are UTF-8
  fields.writeUInt16LE(0x21, 8); // 1 January 1980
  fields.writeUInt32LE(entry.crc, 10);
  fields.writeUInt32LE(entry.size, 14);
  fields.writeUInt32LE(entry.size, 18);
  fields.writeUInt16LE(entry.name.length, 22);
  return fields;
}

function directoryLine(entry) {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(entry.offset, 10);
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), entryFields(entry), rest, entry.name]);
}

function endRecord(entries, offset, size) {
  const record = Buffer.alloc(22);
  record.write('PK\x05\x06', 'latin1');
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}

// Writes tensors, given as [[name, {type, dims, data}], ...], one at a time. The file is written under a
// temporary name and renamed when it is complete.
export function writeNpz(path, tensors) {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = fs.openSync(temporary, 'w');
  let offset = 0;
  const write = (buffer) => {
    for (let done = 0; done < buffer.length; ) done += fs.writeSync(file, buffer, done);
    offset += buffer.length;
  };
  try {
    const lines = [];
    for (const [name, tensor] of tensors) {
      const content = encodeNpy(tensor, `'${name}'`);
      const size = content[0].length + content[1].length;
      const entry = { name: Buffer.from(`${name}.npy`), crc: crc32(content), size, offset };
      if (offset + size + 1024 > most) throw new Error(`${path}: the tensors exceed 4 GiB, the limit without the zip64 form`);
      lines.push(directoryLine(entry));
      [Buffer.from('PK\x03\x04', 'latin1'), entryFields(entry), entry.name, ...content].forEach(write);
    }
    if (lines.length > 0xfffe) throw new Error(`${path}: more than 65,534 tensors, the limit without the zip64 form`);
    const begin = offset;
    lines.forEach(write);
    write(endRecord(lines.length, begin, offset - begin));
    fs.closeSync(file);
    fs.renameSync(temporary, path);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}
