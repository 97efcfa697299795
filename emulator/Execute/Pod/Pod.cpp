// Instructions of the POD, the matrix engine (ordered sums of products, then the epilogue): selects oneDNN or
// one of the emulator's own kernels.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Vectors.h"
#include "isa/Instructions/CheckRules.h"

#include <optional>

namespace tilerig::emulator {

static bool isDepthwise(const Conv &conv) {
  return conv.groups > 1 && conv.weights.dims[4].size == 1 && conv.weights.dims[1].size == conv.groups;
}

View pod::weightsOf(Convs convs) {
  View weights = convs[0].places->view("weights", convs[0].conv->weights, convs[0].tile);
  weights.dims[1].size = 0;
  for (const PlacedConv &each : convs) {
    const Dimension &outputs = each.conv->weights.dims[1];
    weights.dims[1] = {weights.dims[1].size + outputs.size, std::max(weights.dims[1].stride, outputs.stride)};
  }
  return weights;
}

pod::EpilogueRunner pod::epilogueOf(Convs convs) {
  std::optional<EpilogueRunner> joined;
  for (const auto &[conv, tile, places] : convs) {
    const EpilogueRunner own(conv->epilogue, rules::arithmeticOf(*conv),
                             places->view("output", conv->output, tile), tile, *places);
    if (joined)
      joined->join(own);
    else
      joined = own;
  }
  return *std::move(joined);
}

std::unique_ptr<PreparedOp> pod::prepareOwn(Convs convs) {
  const auto &[conv, tile, places] = convs[0];
  return isDepthwise(*conv) ? prepareDepthwise(*conv, tile, *places) : prepareInGroups(convs);
}

static bool usesOneDnn() { return eightBitKernels() == EightBitKernels::oneDnn; }

std::unique_ptr<PreparedOp> prepareJoined(std::span<const PlacedConv> convs) {
  if (usesOneDnn())
    if (auto op = pod::prepareOneDnn(convs))
      return op;
  return pod::prepareOwn(convs);
}

// Sizes of all dimensions but that of the outputs.
static bool haveEqualSizes(const Stream &first, const Stream &second, unsigned outputs) {
  for (unsigned d = 0; d < 5; ++d)
    if (d != outputs && first.dims[d].size != second.dims[d].size)
      return false;
  return first.type == second.type;
}

bool canJoin(const PlacedConv &first, uint32_t outputs, const PlacedConv &next) {
  const Conv &a = *first.conv, &b = *next.conv;
  if (a.groups != 1 || b.groups != 1 || a.window != b.window || !haveEqualSizes(a.output, b.output, 4) ||
      !haveEqualSizes(a.weights, b.weights, 1) || !pod::alike(a.epilogue, b.epilogue))
    return false;
  for (const PlacedConv &each : {first, next})
    if (each.places->mayOverflow() || !each.places->isConstant("weights"))
      return false;
  const auto view = [](const PlacedConv &one, std::string_view operand, const Stream &stream) {
    return one.places->view(operand, stream, one.tile);
  };
  const auto table = [](const PlacedConv &one) {
    const Vector &table = one.conv->epilogue.table;
    return table.present ? one.places->vector("epilogue.table", table.base, 256) : nullptr;
  };
  const View input = view(first, "input", a.input), otherInput = view(next, "input", b.input),
             weights = view(first, "weights", a.weights), otherWeights = view(next, "weights", b.weights);
  const auto strides = [](const View &one) {
    return std::array{one.stride(2), one.stride(3), one.stride(4)};
  };
  // The stride of a dimension of size 1 is 0.
  const int64_t pitch = std::max(weights.stride(1), otherWeights.stride(1));
  return input.data == otherInput.data && input.type == otherInput.type && input.dims == otherInput.dims &&
         strides(weights) == strides(otherWeights) && table(first) == table(next) &&
         (outputs == 1 || weights.stride(1) == pitch) &&
         (otherWeights.size(1) == 1 || otherWeights.stride(1) == pitch) &&
         otherWeights.data == weights.data + int64_t{outputs} * pitch;
}

static std::unique_ptr<PreparedOp> prepare(const Matmul &matmul, unsigned tile, const Places &places) {
  if (usesOneDnn())
    if (auto op = pod::prepareOneDnn(matmul, tile, places))
      return op;
  return pod::prepareOwn(matmul, tile, places);
}
static std::unique_ptr<PreparedOp> prepare(const Conv &conv, unsigned tile, const Places &places) {
  return prepareJoined(std::array{PlacedConv{&conv, tile, &places}});
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::product> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
