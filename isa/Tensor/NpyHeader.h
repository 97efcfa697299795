// The header of an .npy file: which type, which shape, which order, and where the data begin.
//
// An .npy file is the magic "\x93NUMPY", a version, the length of a text, and the text: a Python dictionary
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, padded so that the data behind it are aligned
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). Exactly this is read, by hand:
// numpy evaluates the text as Python, which also lets in what no writer writes.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <span>
#include <string>

namespace tilerig {

struct NpyHeader {
  DType dtype = DType::f32;
  Shape shape;
  bool fortranOrder = false; // first index fastest
  bool bigEndian = false;
  size_t dataOffset = 0; // bytes before the data
  size_t dataBytes = 0;  // bytes of the data

  // The data are laid out as in a Tensor.
  bool isNative() const { return !bigEndian && (!fortranOrder || shape.size() < 2); }
};

// A header is never longer than this; reading as many bytes of a file shows all of it.
inline constexpr size_t maxNpyHeaderBytes = 65536;

// Reads the header that `bytes` begin with, and no more: the data need not be there. `place` is for messages.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> bytes, const std::string &place);

// The header before little-endian row-major data, byte for byte what numpy writes.
std::string formatNpyHeader(DType type, const Shape &shape);

} // namespace tilerig
