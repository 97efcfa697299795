// Reduction instructions: combine several elements of the input into one element of the output.
#include "isa/Numerics/Reduce.h"
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Numerics/Requantise.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

using rules::Arithmetic;

float reduceReals(const Reduce &reduce, std::span<const float> terms) {
  switch (reduce.function) {
  case ReduceFunction::sum:
    return sum(terms);
  case ReduceFunction::mean:
    return mean(terms);
  case ReduceFunction::max:
    return maximum(terms);
  case ReduceFunction::min:
    return minimum(terms);
  case ReduceFunction::product:
    return product(terms);
  case ReduceFunction::sumSquares:
    return sumSquares(terms);
  default:
    return sumAbs(terms);
  }
}

size_t indexOfExtreme(const Reduce &reduce, std::span<const float> terms) {
  const Extreme which = reduce.lastIndex ? Extreme::last : Extreme::first;
  return reduce.function == ReduceFunction::argMax ? argMax(terms, which) : argMin(terms, which);
}
size_t indexOfExtreme(const Reduce &reduce, std::span<const int32_t> terms) {
  size_t best = 0;
  for (size_t i = 1; i < terms.size(); ++i) {
    const bool better =
        reduce.function == ReduceFunction::argMax ? terms[i] > terms[best] : terms[i] < terms[best];
    if (better || (reduce.lastIndex && terms[i] == terms[best]))
      best = i;
  }
  return best;
}

// Reduces the integers `terms` to one by the given function, with arithmetic modulo 2^32.
int32_t reduceIntegers(ReduceFunction function, std::span<const int32_t> terms) {
  uint32_t acc = static_cast<uint32_t>(terms[0]);
  const auto magnitude = [](uint32_t x) { return static_cast<int32_t>(x) < 0 ? 0u - x : x; };
  if (function == ReduceFunction::sumSquares)
    acc *= acc;
  if (function == ReduceFunction::sumAbs)
    acc = magnitude(acc);
  for (int32_t term : terms.subspan(1)) {
    const auto x = static_cast<uint32_t>(term);
    switch (function) {
    case ReduceFunction::max:
      acc = static_cast<uint32_t>(std::max(static_cast<int32_t>(acc), term));
      break;
    case ReduceFunction::min:
      acc = static_cast<uint32_t>(std::min(static_cast<int32_t>(acc), term));
      break;
    case ReduceFunction::product:
      acc *= x;
      break;
    case ReduceFunction::sumSquares:
      acc += x * x;
      break;
    case ReduceFunction::sumAbs:
      acc += magnitude(x);
      break;
    default:
      acc += x;
    }
  }
  return static_cast<int32_t>(acc);
}

class PreparedReduce final : public PreparedOp {
public:
  PreparedReduce(const Reduce &instruction, View input, View output)
      : PreparedOp(output.numRows()), instruction(instruction), input(input), output(output),
        arithmetic(rules::arithmeticOf(instruction)) {
    for (unsigned d = 0; d < 4; ++d)
      outerTerms *= reduced(d) ? input.size(d) : 1;
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const bool reals =
        arithmetic == Arithmetic::real || (arithmetic == Arithmetic::index && isFloat(input.type));
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next())
      reals ? realRow(walk.index(), scratch) : integerRow(walk.index(), scratch);
    return {};
  }

private:
  bool reduced(unsigned dim) const { return instruction.axes >> dim & 1; }

  // Calls visit(input row) for all input rows that are reduced into the output row with the indices `at`, in
  // ascending order.
  template <class Visit>
  void forEachInputRow(Index4 at, Visit visit) const {
    Index4 from = at;
    for (uint64_t term = 0; term < outerTerms; ++term) {
      uint64_t rest = term;
      for (unsigned d = 4; d-- > 0;)
        if (reduced(d)) {
          from[d] = static_cast<uint32_t>(rest % input.size(d));
          rest /= input.size(d);
        }
      visit(input.row(from));
    }
  }

  // The terms that are reduced into element j of the output row, in order. `read` holds the input rows one
  // after the other. If the innermost dimension is reduced, the terms are all of `read`, otherwise element j
  // of each row.
  template <class T>
  std::span<const T> termsOf(std::span<const T> read, uint32_t j, Scratch &scratch) const {
    if (reduced(4))
      return read;
    T *column = scratch.of<T>(ownB, outerTerms);
    for (uint64_t term = 0; term < outerTerms; ++term)
      column[term] = read[term * input.rowLength() + j];
    return {column, outerTerms};
  }

  void realRow(Index4 at, Scratch &scratch) const {
    std::span read(scratch.of<float>(ownA, outerTerms * input.rowLength()), outerTerms * input.rowLength());
    size_t filled = 0;
    forEachInputRow(at, [&](const std::byte *row) {
      readReals(input, row, instruction.inputAffine, read.subspan(filled, input.rowLength()), scratch);
      filled += input.rowLength();
    });
    if (arithmetic == Arithmetic::index)
      return indexRow(at, std::span<const float>(read), scratch);
    std::span result(scratch.of<float>(rowResult, output.rowLength()), output.rowLength());
    for (uint32_t j = 0; j < output.rowLength(); ++j)
      result[j] = reduceReals(instruction, termsOf(std::span<const float>(read), j, scratch));
    writeReals(result, instruction.finish, output, output.row(at), scratch);
  }

  void integerRow(Index4 at, Scratch &scratch) const {
    std::span read(scratch.of<int32_t>(ownA, outerTerms * input.rowLength()), outerTerms * input.rowLength());
    size_t filled = 0;
    forEachInputRow(at, [&](const std::byte *row) {
      readIntegers(input, row, read.subspan(filled, input.rowLength()));
      filled += input.rowLength();
    });
    if (arithmetic == Arithmetic::index)
      return indexRow(at, std::span<const int32_t>(read), scratch);
    std::span result(scratch.of<int32_t>(rowResult, output.rowLength()), output.rowLength());
    for (uint32_t j = 0; j < output.rowLength(); ++j)
      result[j] = finished(termsOf(std::span<const int32_t>(read), j, scratch));
    writeIntegers(result, output, output.row(at));
  }

  template <class T>
  void indexRow(Index4 at, std::span<const T> read, Scratch &scratch) const {
    std::span result(scratch.of<int32_t>(rowResult, output.rowLength()), output.rowLength());
    for (uint32_t j = 0; j < output.rowLength(); ++j)
      result[j] = static_cast<int32_t>(indexOfExtreme(instruction, termsOf(read, j, scratch)));
    writeIntegers(result, output, output.row(at));
  }

  int32_t finished(std::span<const int32_t> terms) const {
    if (arithmetic != Arithmetic::integerSum) {
      const int32_t result = reduceIntegers(instruction.function, terms);
      return arithmetic == Arithmetic::integer ? evaluateInteger(instruction.finish.function, result)
                                               : result;
    }
    // The sum cannot overflow 32 bits: it has at most 2^22 terms, each below 2^9 in magnitude.
    int32_t total = 0;
    for (int32_t q : terms)
      total += q - instruction.inputAffine.zeroPoint;
    const auto count = instruction.function == ReduceFunction::mean ? static_cast<uint32_t>(terms.size()) : 1;
    return landSum(total,
                   averageFactor(instruction.inputAffine.scale, instruction.finish.output.scale, count),
                   instruction.finish, output.type);
  }

  Reduce instruction;
  View input, output;
  Arithmetic arithmetic;
  uint64_t outerTerms = 1; // number of input rows that are reduced into one output row
};

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Reduce &reduce, unsigned tile, const Places &places) {
  return std::make_unique<PreparedReduce>(reduce, places.view("input", reduce.input, tile),
                                          places.view("output", reduce.output, tile));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::reduction> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
