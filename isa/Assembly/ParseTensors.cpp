// Parses the directives for tensors and for their pieces. A piece is a box of a tensor's elements that lies
// in one memory.
#include "isa/Assembly/PieceDefaults.h"
#include "isa/Assembly/ProgramReader.h"
#include "isa/Program/StoredType.h"

#include <algorithm>
#include <limits>

namespace tilerig {

// Parses the name of a type, or any text in quotes. Whether the type exists is checked by the verifier.
bool ProgramReader::readTypeName(std::string_view subject, std::string &name) {
  if (cursor.peek() == '"')
    return cursor.readString(subject, name);
  std::string_view written;
  if (!cursor.readName(written, subject))
    return false;
  name = written;
  return true;
}

// Parses a list of integers: [1, 2, 3].
bool ProgramReader::readIntegers(std::string_view subject, int64_t low,
                                 google::protobuf::RepeatedField<int64_t> &values) {
  values.Clear();
  if (!cursor.expect('[', "and integers"))
    return false;
  while (!cursor.acceptMaybe(']')) {
    int64_t value;
    if (!cursor.readInteger(subject, low, INT64_MAX, value))
      return false;
    values.Add(value);
    cursor.acceptMaybe(',');
  }
  return true;
}

// Parses the content of .input, .output or .tensor: "name" dtype [shape] option=value ... piece ...
bool ProgramReader::readTensor(proto::TensorRole role) {
  const char *place = cursor.position();
  proto::Tensor tensor;
  tensor.set_role(role);
  if (!cursor.readString("the tensor's name", *tensor.mutable_name()) ||
      !readTypeName("the tensor's type, as in float32", *tensor.mutable_dtype()) ||
      !readIntegers("size", INT64_MIN, *tensor.mutable_shape()))
    return false;
  tensor.set_stored_type(std::string(storedTypeOf(tensor.dtype())));
  for (uint32_t seen = 0; atOption();)
    if (!readTensorOption(tensor, seen))
      return false;
  while (cursor.peekName() == "ddr" || cursor.peekName() == "ocm")
    if (!readPiece(tensor))
      return false;
  if (!tensors.try_emplace(tensor.name(), program.metadata.tensors_size()).second)
    return cursor.failAt(place, "there is already a tensor " + quoted(tensor.name()));
  *program.metadata.add_tensors() = std::move(tensor);
  return true;
}

// Parses the name of an option and the '=' after it.
bool ProgramReader::readOption(std::span<const std::string_view> names, uint32_t &seen, size_t &option) {
  const char *place = cursor.position();
  if (!cursor.readChoice(names, "the option", option) || !cursor.expect('=', "after the option"))
    return false;
  if (seen >> option & 1)
    return cursor.failAt(place, "the option " + quoted(names[option]) + " is given twice");
  seen |= 1u << option;
  return true;
}

bool ProgramReader::readTensorOption(proto::Tensor &tensor, uint32_t &seen) {
  static constexpr auto names =
      std::to_array<std::string_view>({"stored", "scale", "zero_point", "layer", "stage", "sizes", "role"});
  size_t option;
  int64_t number;
  constexpr int64_t most = std::numeric_limits<uint32_t>::max();
  constexpr int64_t low = std::numeric_limits<int32_t>::min(), high = std::numeric_limits<int32_t>::max();
  if (!readOption(names, seen, option))
    return false;
  switch (option) {
  case 0:
    return readTypeName("the type of the elements in memory", *tensor.mutable_stored_type());
  case 1: {
    float scale;
    bool done = cursor.readFloat("scale", scale);
    tensor.set_scale(scale);
    return done;
  }
  case 2:
    return cursor.readInteger(names[option], low, high, number) &&
           (tensor.set_zero_point(static_cast<int32_t>(number)), true);
  case 3:
    return cursor.readInteger(names[option], 0, most, number) &&
           (tensor.set_layer(static_cast<uint32_t>(number)), true);
  case 4:
    return cursor.readInteger(names[option], 0, most, number) &&
           (tensor.set_stage(static_cast<uint32_t>(number)), true);
  case 5:
    return cursor.readString("sizes", *tensor.mutable_sizes());
  default:
    return cursor.readInteger(names[option], low, high, number) &&
           (tensor.set_role(static_cast<proto::TensorRole>(number)), true);
  }
}

// Bits of a set that records which options the text gives for a piece of a tensor.
enum PieceOption : uint32_t { givenBegin = 1, givenExtent = 2, givenStride = 4 };

// Parses the place of a piece of a tensor: ddr[address] or ocm tile[address], begin=[...] extent=[...]
// stride=[...].
bool ProgramReader::readPiece(proto::Tensor &tensor) {
  const char *place = cursor.position();
  proto::Piece piece;
  piece.set_ddr(cursor.peekName() == "ddr");
  int64_t tile = 0, address;
  cursor.acceptNameMaybe(cursor.peekName());
  if (cursor.peek() != '[' && !cursor.readInteger("tile", 0, UINT32_MAX, tile))
    return false;
  if (!cursor.expect('[', "and an address") || !cursor.readExpression("address", 0, INT64_MAX, address) ||
      !cursor.expect(']', "after the address"))
    return false;
  piece.set_tile(static_cast<uint32_t>(tile));
  piece.set_address(static_cast<uint64_t>(address));
  uint32_t seen = 0;
  if (!readPieceOptions(piece, seen) || !fillPiece(place, tensor, piece, seen))
    return false;
  *tensor.add_pieces() = std::move(piece);
  return true;
}

bool ProgramReader::readPieceOptions(proto::Piece &piece, uint32_t &seen) {
  static constexpr auto names = std::to_array<std::string_view>({"begin", "extent", "stride", "ready_at"});
  while (atOption()) {
    size_t option;
    if (!readOption(names, seen, option))
      return false;
    if (option == 3) {
      int64_t index;
      if (!cursor.readInteger(names[option], 0, UINT32_MAX, index))
        return false;
      piece.set_ready_at(static_cast<uint32_t>(index));
      continue;
    }
    google::protobuf::RepeatedField<int64_t> values;
    if (!readIntegers(names[option], option == 2 ? 0 : INT64_MIN, values))
      return false;
    if (option == 0)
      *piece.mutable_begin() = std::move(values);
    else if (option == 1)
      *piece.mutable_extent() = std::move(values);
    else
      piece.mutable_stride()->Add(values.begin(), values.end());
  }
  return true;
}

// Fills in the defaults of omitted options: a piece (the box of a tensor's elements that lies in one memory)
// begins at 0, extends to the end of the tensor, and is dense.
bool ProgramReader::fillPiece(const char *place, const proto::Tensor &tensor, proto::Piece &piece,
                              uint32_t seen) {
  int rank = tensor.shape_size();
  if (!(seen & givenBegin))
    piece.mutable_begin()->Resize(rank, 0);
  if (!(seen & givenExtent)) {
    if (piece.begin_size() != rank)
      return cursor.failAt(place, "begin has " + std::to_string(piece.begin_size()) +
                                      " dimensions, but the tensor has " + std::to_string(rank));
    for (int d = 0; d < rank; ++d)
      piece.add_extent(remainingExtent(tensor.shape(d), piece.begin(d)));
  }
  if (!(seen & givenStride)) {
    auto strides = denseStrides(piece.extent(), storedBytes(tensor));
    if (!strides)
      return cursor.failAt(place, "the strides of this piece do not fit into 64 bits",
                           "give the extent or stride of the piece");
    piece.mutable_stride()->Add(strides->begin(), strides->end());
  }
  return true;
}

} // namespace tilerig
