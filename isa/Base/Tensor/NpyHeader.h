// Parses and formats the header of an .npy file: type, shape, element order, and the offset of the data.
//
// An .npy file is the magic "\x93NUMPY", a version, the length of a text, and the text: a Python dictionary
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, padded so that the data behind it are aligned
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). A hand-written parser accepts
// exactly this form. numpy evaluates the text as Python and therefore also accepts forms that no writer
// produces.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <span>
#include <string>

namespace tilerig {

struct NpyHeader {
  DType dtype = DType::f32;
  Shape shape;
  bool fortranOrder = false; // whether the first index varies fastest in memory
  bool bigEndian = false;
  size_t dataOffset = 0; // offset of the array's data in the file
  size_t dataBytes = 0;  // size of the array's data in bytes

  // Whether the data have the layout of a Tensor: little-endian and row-major.
  bool isNative() const { return !bigEndian && (!fortranOrder || shape.size() < 2); }
};

// Upper bound on the size of a header; reading this many bytes of a file always includes the whole header.
inline constexpr size_t maxNpyHeaderBytes = 65536;

// Parses the .npy header at the beginning of `bytes`; the array's data need not be present. `place` names the
// file in error messages.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> bytes, const std::string &place);

// Formats the header of little-endian row-major data, byte for byte as numpy does.
std::string formatNpyHeader(DType type, const Shape &shape);

} // namespace tilerig
