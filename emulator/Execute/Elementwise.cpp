// Element-wise instructions, which compute each output element from one element of each operand: binary,
// select, activate, lookup.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Reduce.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::emulator {

namespace {

using rules::Arithmetic;

std::span<float> floats(Scratch &scratch, Slot slot, const View &output) {
  return {scratch.of<float>(slot, output.rowLength()), output.rowLength()};
}
std::span<int32_t> integers(Scratch &scratch, Slot slot, const View &output) {
  return {scratch.of<int32_t>(slot, output.rowLength()), output.rowLength()};
}

bool isComparison(BinaryFunction function) {
  return function >= BinaryFunction::equal && function <= BinaryFunction::greaterEqual;
}

template <class T>
bool compare(BinaryFunction function, T a, T b) {
  switch (function) {
  case BinaryFunction::equal:
    return a == b;
  case BinaryFunction::less:
    return a < b;
  case BinaryFunction::lessEqual:
    return a <= b;
  case BinaryFunction::greater:
    return a > b;
  default:
    return a >= b;
  }
}

// Computes out[i] = f(a[i], b[i]) for all elements.
template <class T, class U, class F>
void zip(std::span<const T> a, std::span<const T> b, std::span<U> out, F f) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(a[i], b[i]);
}

// Computes out[i] = function(a[i], b[i]) for a row. There is a loop for each function, so that the function
// is selected once per row. `out` may be the same memory as `a`.
void evaluateReals(BinaryFunction function, std::span<const float> a, std::span<const float> b,
                   std::span<float> out) {
  const auto truth = [](bool holds) { return holds ? 1.0f : 0.0f; };
  switch (function) {
  case BinaryFunction::add:
    return zip(a, b, out, [](float x, float y) { return x + y; });
  case BinaryFunction::sub:
    return zip(a, b, out, [](float x, float y) { return x - y; });
  case BinaryFunction::mul:
    return zip(a, b, out, [](float x, float y) { return x * y; });
  case BinaryFunction::div:
    return zip(a, b, out, [](float x, float y) { return x / y; });
  case BinaryFunction::min:
    return zip(a, b, out, [](float x, float y) { return minimum(x, y); });
  case BinaryFunction::max:
    return zip(a, b, out, [](float x, float y) { return maximum(x, y); });
  case BinaryFunction::pow:
    return power(a, b, out);
  case BinaryFunction::mod:
    return zip(a, b, out, [](float x, float y) { return flooredRemainder(x, y); });
  case BinaryFunction::fmod:
    return zip(a, b, out, [](float x, float y) { return truncatedRemainder(x, y); });
  case BinaryFunction::prelu:
    return zip(a, b, out, [](float x, float y) { return x >= 0 ? x : x * y; });
  case BinaryFunction::logicalAnd:
    return zip(a, b, out, [=](float x, float y) { return truth(x != 0 && y != 0); });
  case BinaryFunction::logicalOr:
    return zip(a, b, out, [=](float x, float y) { return truth(x != 0 || y != 0); });
  case BinaryFunction::logicalXor:
    return zip(a, b, out, [=](float x, float y) { return truth((x != 0) != (y != 0)); });
  default:
    return zip(a, b, out, [=](float x, float y) { return truth(compare(function, x, y)); });
  }
}

// Integer division whose quotient wraps around (INT32_MIN / -1); the divisor must not be 0.
int32_t quotient(int32_t a, int32_t b) {
  return b == -1 ? static_cast<int32_t>(0u - static_cast<uint32_t>(a)) : a / b;
}

int32_t evaluateIntegers(BinaryFunction function, int32_t a, int32_t b) {
  const auto wrapped = [](uint32_t x) { return static_cast<int32_t>(x); };
  const auto x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);
  switch (function) {
  case BinaryFunction::add:
    return wrapped(x + y);
  case BinaryFunction::sub:
    return wrapped(x - y);
  case BinaryFunction::mul:
    return wrapped(x * y);
  case BinaryFunction::div:
    return quotient(a, b);
  case BinaryFunction::min:
    return std::min(a, b);
  case BinaryFunction::max:
    return std::max(a, b);
  case BinaryFunction::mod:
    return flooredRemainder(a, b);
  case BinaryFunction::fmod:
    return truncatedRemainder(a, b);
  case BinaryFunction::prelu:
    return a >= 0 ? a : wrapped(x * y);
  case BinaryFunction::logicalAnd:
    return a != 0 && b != 0;
  case BinaryFunction::logicalOr:
    return a != 0 || b != 0;
  case BinaryFunction::logicalXor:
    return (a != 0) != (b != 0);
  default:
    return compare(function, a, b);
  }
}

class PreparedBinary final : public PreparedOp {
public:
  PreparedBinary(const Binary &instruction, View a, View b, View output)
      : PreparedOp(output.numRows()), instruction(instruction), a(a), b(b), output(output),
        asIntegers(rules::arithmeticOf(instruction) == Arithmetic::integer),
        comparesIntegers(a.type == ElementType::i32 && b.type == ElementType::i32 &&
                         isComparison(instruction.function)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      if (asIntegers) {
        if (auto fault = integerRow(walk.index(), scratch))
          return fault;
      } else {
        realRow(walk.index(), scratch);
      }
    }
    return {};
  }

private:
  void realRow(Index4 at, Scratch &scratch) const {
    auto result = floats(scratch, rowResult, output);
    if (comparesIntegers) {
      auto x = integers(scratch, rowA, output), y = integers(scratch, rowB, output);
      readIntegers(a, a.row(at), x);
      readIntegers(b, b.row(at), y);
      for (size_t i = 0; i < result.size(); ++i)
        result[i] = compare(instruction.function, x[i], y[i]);
    } else {
      auto x = floats(scratch, rowA, output), y = floats(scratch, rowB, output);
      readReals(a, a.row(at), instruction.aAffine, x, scratch);
      readReals(b, b.row(at), instruction.bAffine, y, scratch);
      evaluateReals(instruction.function, x, y, result);
    }
    writeReals(result, instruction.finish, output, output.row(at), scratch);
  }

  std::optional<DataFault> integerRow(Index4 at, Scratch &scratch) const {
    auto x = integers(scratch, rowA, output), y = integers(scratch, rowB, output);
    readIntegers(a, a.row(at), x);
    readIntegers(b, b.row(at), y);
    for (size_t i = 0; i < x.size(); ++i) {
      if (instruction.function == BinaryFunction::div && y[i] == 0)
        return DataFault{"an integer is divided by zero"};
      x[i] = evaluateInteger(instruction.finish.function, evaluateIntegers(instruction.function, x[i], y[i]));
    }
    writeIntegers(x, output, output.row(at));
    return {};
  }

  Binary instruction;
  View a, b, output;
  bool asIntegers, comparesIntegers;
};

class PreparedSelect final : public PreparedOp {
public:
  PreparedSelect(const Select &instruction, View condition, View a, View b, View output)
      : PreparedOp(output.numRows()), instruction(instruction), condition(condition), a(a), b(b),
        output(output), asIntegers(rules::arithmeticOf(instruction) == Arithmetic::integer) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      const Index4 at = walk.index();
      auto which = integers(scratch, rowC, output);
      readIntegers(condition, condition.row(at), which);
      if (asIntegers) {
        auto x = integers(scratch, rowA, output), y = integers(scratch, rowB, output);
        readIntegers(a, a.row(at), x);
        readIntegers(b, b.row(at), y);
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = evaluateInteger(instruction.finish.function, which[i] ? x[i] : y[i]);
        writeIntegers(x, output, output.row(at));
      } else {
        auto x = floats(scratch, rowA, output), y = floats(scratch, rowB, output);
        readReals(a, a.row(at), instruction.aAffine, x, scratch);
        readReals(b, b.row(at), instruction.bAffine, y, scratch);
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = which[i] ? x[i] : y[i];
        writeReals(x, instruction.finish, output, output.row(at), scratch);
      }
    }
    return {};
  }

private:
  Select instruction;
  View condition, a, b, output;
  bool asIntegers;
};

class PreparedActivate final : public PreparedOp {
public:
  PreparedActivate(const Activate &instruction, View input, View output)
      : PreparedOp(output.numRows()), instruction(instruction), input(input), output(output),
        asIntegers(rules::arithmeticOf(instruction) == Arithmetic::integer) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      const Index4 at = walk.index();
      if (asIntegers) {
        auto x = integers(scratch, rowA, output);
        readIntegers(input, input.row(at), x);
        for (int32_t &element : x)
          element = evaluateInteger(instruction.finish.function, element);
        writeIntegers(x, output, output.row(at));
      } else {
        auto x = floats(scratch, rowA, output);
        readReals(input, input.row(at), instruction.inputAffine, x, scratch);
        writeReals(x, instruction.finish, output, output.row(at), scratch);
      }
    }
    return {};
  }

private:
  Activate instruction;
  View input, output;
  bool asIntegers;
};

class PreparedLookup final : public PreparedOp {
public:
  PreparedLookup(View input, View output, const std::byte *table)
      : PreparedOp(output.numRows()), input(input), output(output), table(table),
        lowest(input.type == ElementType::u8   ? 0
               : input.type == ElementType::i8 ? -128
                                               : I9::lowest) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const unsigned bytes = sizeBytes(output.type);
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      auto x = integers(scratch, rowA, output);
      readIntegers(input, input.row(walk.index()), x);
      // An i9 is stored in 16 bits, so memory may hold a value outside the i9 range; such a value is a fault.
      if (input.type == ElementType::i9)
        for (int32_t index : x)
          if (index < I9::lowest || index > I9::highest)
            return DataFault{
                fmt::format("value {} is outside the i9 range -256 to 255 of the lookup table", index)};
      std::byte *to = output.row(walk.index());
      for (size_t i = 0; i < x.size(); ++i)
        std::memcpy(to + static_cast<int64_t>(i) * output.stride(4), table + (x[i] - lowest) * int64_t{bytes},
                    bytes);
    }
    return {};
  }

private:
  View input, output;
  const std::byte *table;
  int32_t lowest;
};

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Binary &binary, unsigned tile, const Places &places) {
  return std::make_unique<PreparedBinary>(binary, places.view("a", binary.a, tile),
                                          places.view("b", binary.b, tile),
                                          places.view("output", binary.output, tile));
}

static std::unique_ptr<PreparedOp> prepare(const Select &select, unsigned tile, const Places &places) {
  return std::make_unique<PreparedSelect>(select, places.view("condition", select.condition, tile),
                                          places.view("a", select.a, tile), places.view("b", select.b, tile),
                                          places.view("output", select.output, tile));
}

static std::unique_ptr<PreparedOp> prepare(const Activate &activate, unsigned tile, const Places &places) {
  return std::make_unique<PreparedActivate>(activate, places.view("input", activate.input, tile),
                                            places.view("output", activate.output, tile));
}

static std::unique_ptr<PreparedOp> prepare(const Lookup &lookup, unsigned tile, const Places &places) {
  const uint64_t entries = lookup.input.type == ElementType::i9 ? 512 : 256;
  return std::make_unique<PreparedLookup>(
      places.view("input", lookup.input, tile), places.view("output", lookup.output, tile),
      places.vector("table", lookup.table.base, entries * sizeBytes(lookup.output.type)));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::elementwise> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
