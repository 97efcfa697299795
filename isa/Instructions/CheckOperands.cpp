#include "isa/Instructions/CheckOperands.h"

#include "isa/Instructions/CheckValues.h"

#include <bit>
#include <vector>

namespace tilerig::rules {
namespace {

constexpr uint64_t maxElements = INT32_MAX;

constexpr spaces::Set setOf(Space space) {
  using enum spaces::Set;
  return space == Space::ocm      ? ocm
         : space == Space::ddr    ? ddr
         : space == Space::remote ? remote
                                  : spaces::Set{};
}

Status checkSpace(const FieldPath &at, const Stream &stream, spaces::Set spaces, const Setting &setting) {
  if (!(spaces & setOf(stream.space)))
    return refuse({&at, "space"}, stream.space, "expected " + spacesText(spaces));
  const FieldPath tile{&at, "tile"};
  if (stream.space != Space::remote)
    return expectZero(tile, stream.tile, "the stream does not lie in the OCM of another tile");
  if (stream.tile >= setting.tiles)
    return refuse(tile, stream.tile, fmt::format("expected a tile of the program, 0..{}", setting.tiles - 1));
  if (stream.tile == setting.tile)
    return refuse(tile, stream.tile, "expected a tile other than the instruction's own");
  return success();
}

Status checkDims(const FieldPath &at, const Stream &stream) {
  uint64_t elements = 1;
  for (int d = 0; d < 5; ++d) {
    const auto [size, stride] = stream.dims[d];
    const FieldPath dim{&at, "dims", d};
    if (size == 0)
      return refuse({&dim, "size"}, size, "expected at least 1");
    if (size == 1 && stride != 0)
      return refuse({&dim, "stride"}, stride, "expected 0, as a dimension of size 1 has no stride");
    elements *= size; // the product cannot overflow, because both factors are below 2^32
    if (elements > maxElements)
      return refuse({&dim, "size"}, size,
                    fmt::format("expected a smaller size: a stream has at most {} elements", maxElements));
  }
  return success();
}

Status checkAligned(const FieldPath &at, const Stream &stream) {
  const unsigned element = sizeBytes(stream.type);
  const auto expected = [&] {
    return fmt::format("expected a multiple of {}, the bytes of {}", element, valueText(stream.type));
  };
  if (stream.base % element != 0)
    return refuse({&at, "base"}, stream.base, expected());
  for (int d = 0; d < 5; ++d) {
    const FieldPath dim{&at, "dims", d};
    if (stream.dims[d].stride % element != 0)
      return refuse({&dim, "stride"}, stream.dims[d].stride, expected());
  }
  return success();
}

// Checks that a stream ends inside its memory. The sum `end` never overflows: before each addition it is at
// most the size of the memory, and a dimension that reaches beyond the rest of the memory is refused before
// its extent is added.
Status checkInside(const FieldPath &at, const Stream &stream, const Setting &setting) {
  const bool isDdr = stream.space == Space::ddr;
  const uint64_t memory = isDdr ? setting.machine.ddr.sizeBytes : setting.machine.tile.ocmBytes;
  const char *name = isDdr ? "DDR" : "OCM";
  uint64_t end = stream.base + sizeBytes(stream.type);
  if (end > memory)
    return refuse({&at, "base"}, stream.base,
                  fmt::format("expected an address in the {}, which has {} bytes", name, memory));
  for (int d = 4; d >= 0; --d) {
    const uint64_t reach = uint64_t{stream.dims[d].size - 1} * stream.dims[d].stride;
    const FieldPath dim{&at, "dims", d};
    if (reach > memory - end)
      return refuse(
          {&dim, "stride"}, stream.dims[d].stride,
          fmt::format("expected a stream that ends inside the {}, which has {} bytes", name, memory));
    end += reach;
  }
  return success();
}

// Checks the strides of a write stream. The sum of extents cannot overflow, because checkInside has ensured
// that the extent of the stream is at most the size of the memory.
Status checkNested(const FieldPath &at, const Stream &stream) {
  uint64_t extent = sizeBytes(stream.type);
  for (int d = 4; d >= 0; --d) {
    const auto [size, stride] = stream.dims[d];
    if (size == 1)
      continue;
    const FieldPath dim{&at, "dims", d};
    if (stride < extent)
      return refuse(
          {&dim, "stride"}, stride,
          fmt::format(
              "expected at least {}, the extent of the inner dimensions, so that nothing is written twice",
              extent));
    extent += uint64_t{size - 1} * stride;
  }
  return success();
}

} // namespace

std::string spacesText(spaces::Set set) {
  std::vector<std::string_view> names;
  for (Space space : {Space::ddr, Space::remote, Space::ocm})
    if (set & setOf(space))
      names.push_back(EnumNames<Space>::values[static_cast<size_t>(space)]);
  return choiceText(names);
}

Status checkStream(const FieldPath &at, const Stream &stream, bool isWritten, spaces::Set spaces,
                   bool optional, const Setting &setting) {
  if (!stream.present() && optional)
    return expectAllZero(at, stream, "the stream is absent");
  TILERIG_CHECK_OK(checkSpace(at, stream, spaces, setting));
  TILERIG_CHECK_OK(checkDims(at, stream));
  TILERIG_CHECK_OK(checkAligned(at, stream));
  TILERIG_CHECK_OK(checkInside(at, stream, setting));
  return isWritten ? checkNested(at, stream) : success();
}

Status checkAffine(const FieldPath &at, const Affine &affine, ElementType type) {
  if (!isQuantised(type))
    return expectAllZero(at, affine, "the operand's type is not quantised");
  if (!(std::isfinite(affine.scale) && affine.scale > 0))
    return refuse({&at, "scale"}, affine.scale, "expected a finite number above 0");
  return expectInType({&at, "zero_point"}, affine.zeroPoint, type);
}

Status checkVector(const FieldPath &at, const Vector &vector, uint64_t count, unsigned elementBytes,
                   const Setting &setting) {
  if (!vector.present)
    return expectAllZero(at, vector, "the vector is absent");
  if (vector.base % elementBytes != 0)
    return refuse({&at, "base"}, vector.base,
                  fmt::format("expected a multiple of {}, the bytes of an element", elementBytes));
  const uint64_t bytes = (vector.broadcast ? 1 : count) * elementBytes,
                 memory = setting.machine.tile.ocmBytes;
  if (bytes > memory || vector.base > memory - bytes)
    return refuse(
        {&at, "base"}, vector.base,
        fmt::format("expected an address from which {} bytes lie inside the OCM, which has {} bytes", bytes,
                    memory));
  return success();
}

Status checkTiles(uint64_t tiles, const Setting &setting) {
  if (const uint64_t others = tiles & ~lowBits(setting.tiles))
    return invalidInput(fieldName(topLevel("tiles")),
                        fmt::format("contains tile {}", std::countr_zero(others)),
                        fmt::format("expected only tiles that the program uses, 0..{}", setting.tiles - 1));
  return success();
}

Status BoundExtents::bind(std::string_view name, const Stream &stream, const Extents &sizes) {
  const FieldPath at = topLevel(name);
  for (int d = 0; d < 5; ++d) {
    const FieldPath dim{&at, "dims", d}, field{&dim, "size"};
    const uint32_t size = stream.dims[d].size;
    Bound &bound = bounds[static_cast<size_t>(sizes[d])];
    if (sizes[d] == Extent::any)
      continue;
    if (sizes[d] == Extent::one && size != 1)
      return refuse(field, size, "expected 1");
    if (bound.size == 0)
      bound = {size, name, d};
    if (bound.size != size)
      return refuse(
          field, size,
          fmt::format("expected {}, the value of {}.dims[{}].size", bound.size, bound.operand, bound.dim));
  }
  return success();
}

} // namespace tilerig::rules
