// Verifies tensors: names, types, shapes, and that every piece (the part of a tensor in one memory) is a box
// of the tensor, lies in an existing memory and has no overlapping elements.
#include "isa/Base/Tensor/Tensor.h"
#include "isa/Instructions/CheckValues.h"
#include "isa/Program/StoredType.h"
#include "isa/Program/VerifyParts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <optional>
#include <span>
#include <unordered_set>

namespace tilerig {

namespace {

// One dimension of a piece: `count` elements, `stride` bytes apart. Dimensions with a single element are left
// out.
struct Steps {
  uint64_t stride, count;
};

Status verifyQuantisation(const proto::Tensor &tensor, std::optional<ElementType> stored) {
  if (!stored || !isQuantised(*stored) || tensor.scale() == 0) {
    if (tensor.scale() != 0 || std::signbit(tensor.scale()) || tensor.zero_point() != 0)
      return invalidInput("", fmt::format("the tensor has scale {} and zero point {}, but is not quantised",
                                          tensor.scale(), tensor.zero_point()));
    return success();
  }
  if (!std::isfinite(tensor.scale()) || tensor.scale() < 0)
    return invalidInput("", fmt::format("the scale {} is not a positive number", tensor.scale()));
  int32_t low = rules::lowestOf(*stored), high = rules::highestOf(*stored);
  if (tensor.zero_point() < low || tensor.zero_point() > high)
    return invalidInput("",
                        fmt::format("the zero point {} is outside {}..{}", tensor.zero_point(), low, high));
  return success();
}

// The size in bytes of the memory in which a piece of a tensor lies.
Result<uint64_t> memoryBytes(const Program &program, const proto::Piece &piece) {
  if (piece.ddr() && piece.tile() != 0)
    return invalidInput("tile", fmt::format("the piece lies in DDR, but states tile {}", piece.tile()),
                        "expected 0");
  if (piece.tile() >= program.tiles)
    return invalidInput("tile", fmt::format("there is no tile {}: the program uses {} tiles, counted from 0",
                                            piece.tile(), program.tiles));
  return piece.ddr() ? program.machine.ddr.sizeBytes : uint64_t{program.machine.tile.ocmBytes};
}

Status verifyBox(const proto::Tensor &tensor, const proto::Piece &piece) {
  int rank = tensor.shape_size();
  if (piece.begin_size() != rank || piece.extent_size() != rank || piece.stride_size() != rank)
    return invalidInput(
        "", fmt::format("begin, extent and stride have {}, {} and {} dimensions, but the tensor has {}",
                        piece.begin_size(), piece.extent_size(), piece.stride_size(), rank));
  for (int d = 0; d < rank; ++d) {
    int64_t begin = piece.begin(d), extent = piece.extent(d), size = tensor.shape(d);
    if (begin < 0 || extent < 1 || extent > size || begin > size - extent)
      return invalidInput("", fmt::format("extent {} from begin {} is not inside dimension {} of size {}",
                                          extent, begin, d, size));
  }
  return success();
}

// The number of bytes from the first to the last element of a piece, inclusive; nullopt if the number exceeds
// a limit.
std::optional<uint64_t> spanOf(std::span<const Steps> steps, uint64_t elementBytes, uint64_t most) {
  uint64_t span = elementBytes;
  for (auto [stride, count] : steps) {
    if (span > most || (stride > 0 && count - 1 > (most - span) / stride))
      return std::nullopt;
    span += (count - 1) * stride;
  }
  return span <= most ? std::optional(span) : std::nullopt;
}

// Whether the elements of a piece do not overlap: each stride must be at least the extent of all dimensions
// with smaller strides. The extent cannot overflow, because spanOf has checked it.
bool liesApart(std::span<const Steps> ascending, uint64_t elementBytes) {
  uint64_t inner = elementBytes;
  for (auto [stride, count] : ascending) {
    if (stride < inner)
      return false;
    inner += (count - 1) * stride;
  }
  return true;
}

Status verifyReadyAt(const Program &program, const proto::Tensor &tensor, const proto::Piece &piece) {
  if (piece.ready_at() == 0)
    return success();
  const auto *device = std::get_if<DeviceStage>(&program.stages[tensor.stage()].work);
  if (tensor.role() != proto::INTERMEDIATE || piece.ddr() || !device)
    return invalidInput(
        "ready_at",
        fmt::format(
            "this field states instruction {}, but the piece is not of an intermediate tensor in the memory of a tile",
            piece.ready_at()),
        "expected 0");
  if (const size_t count = device->tiles[piece.tile()].size(); piece.ready_at() > count)
    return invalidInput("ready_at", fmt::format("there is no instruction {}: tile {} has {} instructions",
                                                piece.ready_at(), piece.tile(), count));
  return success();
}

Status verifyPiece(const Program &program, const proto::Tensor &tensor, const proto::Piece &piece,
                   uint64_t elementBytes) {
  TILERIG_TRY(uint64_t memory, memoryBytes(program, piece));
  TILERIG_CHECK_OK(verifyBox(tensor, piece));
  TILERIG_CHECK_OK(verifyReadyAt(program, tensor, piece));
  std::array<Steps, maxRank> storage;
  size_t count = 0;
  bool aligned = piece.address() % elementBytes == 0;
  for (int d = 0; d < piece.extent_size(); ++d)
    if (piece.extent(d) > 1) {
      storage[count++] = {piece.stride(d), static_cast<uint64_t>(piece.extent(d))};
      aligned &= piece.stride(d) % elementBytes == 0;
    }
  if (!aligned)
    return invalidInput(
        "",
        fmt::format("the address or a stride is not a multiple of the {} bytes of an element", elementBytes));
  auto steps = std::span(storage).first(count);
  auto bytes = spanOf(steps, elementBytes, memory);
  if (!bytes || piece.address() > memory - *bytes)
    return invalidInput("",
                        fmt::format("the piece, from address {} on, reaches past the end of {} ({} bytes)",
                                    piece.address(), piece.ddr() ? "DDR" : "the tile's memory", memory));
  std::ranges::sort(steps, {}, &Steps::stride);
  if (!liesApart(steps, elementBytes))
    return invalidInput("stride", "makes elements overlap");
  return success();
}

// Verifies the role of a tensor. Inputs and outputs are exchanged with the host, so they must lie in DDR;
// they must have a location unless they are empty.
Status verifyRole(const proto::Tensor &tensor, size_t sizeBytes) {
  if (!proto::TensorRole_IsValid(tensor.role()))
    return invalidInput(
        "role", fmt::format("there is no role {} that a tensor could have", static_cast<int>(tensor.role())));
  if (tensor.role() == proto::INTERMEDIATE)
    return success();
  if (tensor.pieces().empty() && sizeBytes > 0)
    return invalidInput("", "the tensor is an input or output, but has no pieces in memory");
  if (!std::ranges::all_of(tensor.pieces(), [](const proto::Piece &piece) { return piece.ddr(); }))
    return invalidInput("", "the tensor is an input or output, but lies in the memory of a tile",
                        "the host can access only DDR");
  return success();
}

// Verifies the name of the tensor with the sizes of an output.
Status verifySizes(const Program &program, const proto::Tensor &tensor) {
  if (tensor.sizes().empty())
    return success();
  if (tensor.role() != proto::OUTPUT)
    return invalidInput("sizes", "the tensor is not an output, so the host does not cut it", "expected none");
  const auto &tensors = program.metadata.tensors();
  const auto sizes = std::ranges::find(tensors, tensor.sizes(), &proto::Tensor::name);
  if (sizes == tensors.end() || sizes->role() != proto::OUTPUT)
    return invalidInput("sizes", fmt::format("the program has no output '{}'", tensor.sizes()));
  if (sizes->dtype() != "int64" || sizes->shape_size() != 1 || sizes->shape(0) != tensor.shape_size() ||
      !sizes->sizes().empty())
    return invalidInput("sizes", fmt::format("output '{}' is not a list of {} numbers of type int64",
                                             tensor.sizes(), tensor.shape_size()));
  return success();
}

Status verifyTensor(const Program &program, const proto::Tensor &tensor) {
  auto dtype = dtypeNamed(tensor.dtype());
  if (!dtype)
    return invalidInput("dtype",
                        fmt::format("there is no type '{}' for the tensors of a model", tensor.dtype()),
                        "write the type by its name in numpy, such as float32");
  const std::optional<ElementType> stored = storedTypeOf(tensor);
  if (!stored && !isRaw(tensor))
    return invalidInput("stored_type", fmt::format("there is no element type '{}'", tensor.stored_type()));
  auto size = sizeBytesOf(*dtype, Shape(tensor.shape().begin(), tensor.shape().end()));
  if (!size)
    return inside("shape", size.error());
  TILERIG_CHECK_OK(verifyRole(tensor, *size));
  TILERIG_CHECK_OK(verifyQuantisation(tensor, stored));
  if (!stored && !std::ranges::all_of(tensor.pieces(), [](const proto::Piece &piece) { return piece.ddr(); }))
    return invalidInput(
        "stored_type",
        "is raw, but the tensor lies in the memory of a tile, where only the machine's own types "
        "can be stored");
  TILERIG_CHECK_OK(verifySizes(program, tensor));
  TILERIG_CHECK_OK(verifyLayer(program, tensor.layer()));
  if (tensor.stage() >= program.stages.size())
    return invalidInput("stage",
                        fmt::format("there is no stage {}: the program has {} stages, counted from 0",
                                    tensor.stage(), program.stages.size()));
  for (int index = 0; index < tensor.pieces_size(); ++index)
    TILERIG_CHECK_OK(inside([&] { return fmt::format("pieces[{}]", index); },
                            verifyPiece(program, tensor, tensor.pieces(index), storedBytes(tensor))));
  return success();
}

} // namespace

Status verifyTensors(const Program &program) {
  std::unordered_set<std::string_view> names;
  for (int index = 0; index < program.metadata.tensors_size(); ++index) {
    const proto::Tensor &tensor = program.metadata.tensors(index);
    TILERIG_CHECK_OK(
        inside([&] { return fmt::format("tensors[{}]", index); }, verifyName(names, tensor.name())));
    TILERIG_CHECK_OK(
        inside([&] { return fmt::format("tensor '{}'", tensor.name()); }, verifyTensor(program, tensor)));
  }
  return success();
}

} // namespace tilerig
