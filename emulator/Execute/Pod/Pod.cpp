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

// The dimension of the weights that counts the outputs.
constexpr unsigned outputsOfConv = 1, outputsOfMatmul = 3;
static const Stream &streamOfWeights(const Conv &conv) { return conv.weights; }
static const Stream &streamOfWeights(const Matmul &matmul) { return matmul.b; }
static View viewOfWeights(const Placed<Conv> &conv) {
  return conv.view("weights", conv.instruction->weights);
}
static View viewOfWeights(const Placed<Matmul> &matmul) { return matmul.view("b", matmul.instruction->b); }

template <class T>
static View joinedWeights(std::span<const Placed<T>> products, unsigned outputs) {
  View weights = viewOfWeights(products[0]);
  for (const Placed<T> &each : products.subspan(1))
    weights.dims[outputs].size += streamOfWeights(*each.instruction).dims[outputs].size;
  return weights;
}
View pod::weightsOf(Convs convs) { return joinedWeights(convs, outputsOfConv); }
View pod::weightsOf(Matmuls matmuls) { return joinedWeights(matmuls, outputsOfMatmul); }

template <class T>
static pod::EpilogueRunner joinedEpilogue(std::span<const Placed<T>> products) {
  std::optional<pod::EpilogueRunner> joined;
  for (const Placed<T> &each : products) {
    const T &instruction = *each.instruction;
    const pod::EpilogueRunner own(instruction.epilogue, rules::arithmeticOf(instruction),
                                  each.view("output", instruction.output), each.tile, *each.places);
    if (joined)
      joined->join(own);
    else
      joined = own;
  }
  return *std::move(joined);
}
pod::EpilogueRunner pod::epilogueOf(Convs convs) { return joinedEpilogue(convs); }
pod::EpilogueRunner pod::epilogueOf(Matmuls matmuls) { return joinedEpilogue(matmuls); }

std::unique_ptr<PreparedOp> pod::prepareOwn(Convs convs) {
  const auto &[conv, tile, places] = convs[0];
  return isDepthwise(*conv) ? prepareDepthwise(*conv, tile, *places) : prepareInGroups(convs);
}

template <class T>
static std::unique_ptr<PreparedOp> prepareEither(std::span<const Placed<T>> products) {
  if (eightBitKernels() == EightBitKernels::oneDnn)
    if (auto op = pod::prepareOneDnn(products))
      return op;
  return pod::prepareOwn(products);
}

std::unique_ptr<PreparedOp> prepareJoined(std::span<const PlacedProduct> products) {
  return std::visit(
      [&]<class T>(const Placed<T> &) {
        std::vector<Placed<T>> all;
        for (const PlacedProduct &product : products)
          all.push_back(std::get<Placed<T>>(product));
        return prepareEither(std::span<const Placed<T>>(all));
      },
      products[0]);
}

static View viewOfActivations(const Placed<Conv> &conv) {
  return conv.view("input", conv.instruction->input);
}
static View viewOfActivations(const Placed<Matmul> &matmul) {
  return matmul.view("a", matmul.instruction->a);
}
View activationsOf(const PlacedProduct &product) {
  return std::visit([](const auto &placed) { return viewOfActivations(placed); }, product);
}
View weightsOf(const PlacedProduct &product) {
  return std::visit([](const auto &placed) { return viewOfWeights(placed); }, product);
}
uint32_t outputsOf(const PlacedProduct &product) {
  return std::visit([](const auto &placed) { return placed.instruction->output.dims[4].size; }, product);
}

// Whether two operands have the same type, and the same sizes of all dimensions but one.
static bool haveEqualSizes(const Stream &first, const Stream &second, unsigned butOf) {
  for (unsigned d = 0; d < 5; ++d)
    if (d != butOf && first.dims[d].size != second.dims[d].size)
      return false;
  return first.type == second.type;
}

// Whether the weights of `next` follow `outputs` outputs' weights from the first on. A dimension of size 1 has the stride
// 0, so weights of a single output do not say how far apart outputs are, and none can follow them.
static bool follow(const View &first, uint32_t outputs, const View &next, unsigned dim) {
  for (unsigned d = 0; d < 5; ++d)
    if (d != dim && first.stride(d) != next.stride(d))
      return false;
  return first.size(dim) > 1 && (next.size(dim) == 1 || next.stride(dim) == first.stride(dim)) &&
         next.data == first.data + int64_t{outputs} * first.stride(dim);
}

static bool areAlike(const Conv &first, const Conv &second) {
  return first.groups == 1 && second.groups == 1 && first.window == second.window;
}
static bool areAlike(const Matmul &first, const Matmul &second) { return first.mapping == second.mapping; }
static constexpr std::string_view weightsName(const Conv &) { return "weights"; }
static constexpr std::string_view weightsName(const Matmul &) { return "b"; }

template <class T>
static bool canJoinBoth(const Placed<T> &first, uint32_t outputs, const Placed<T> &next) {
  constexpr unsigned dim = std::is_same_v<T, Conv> ? outputsOfConv : outputsOfMatmul;
  const T &a = *first.instruction, &b = *next.instruction;
  if (!areAlike(a, b) || !haveEqualSizes(a.output, b.output, 4) ||
      !haveEqualSizes(streamOfWeights(a), streamOfWeights(b), dim) || !pod::alike(a.epilogue, b.epilogue))
    return false;
  for (const Placed<T> &each : {first, next})
    if (each.places->mayOverflow() || !each.places->isConstant(weightsName(a)))
      return false;
  const auto table = [](const Placed<T> &one) {
    const Vector &table = one.instruction->epilogue.table;
    return table.present ? one.places->vector("epilogue.table", table.base, 256) : nullptr;
  };
  const View input = viewOfActivations(first), otherInput = viewOfActivations(next);
  return input.data == otherInput.data && input.type == otherInput.type && input.dims == otherInput.dims &&
         table(first) == table(next) && follow(viewOfWeights(first), outputs, viewOfWeights(next), dim);
}

bool canJoin(const PlacedProduct &first, uint32_t outputs, const PlacedProduct &next) {
  return std::visit(
      [&]<class A, class B>(const Placed<A> &a, const Placed<B> &b) {
        if constexpr (std::is_same_v<A, B>)
          return canJoinBoth(a, outputs, b);
        else
          return false;
      },
      first, next);
}

template <class T>
static std::unique_ptr<PreparedOp> prepare(const T &instruction, unsigned tile, const Places &places) {
  const Placed<T> placed{&instruction, tile, &places};
  return prepareEither(std::span<const Placed<T>>(&placed, 1));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::product> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
