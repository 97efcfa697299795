#include "tests/unit/Emulator/PlainMachine.h"

#include "isa/Instructions/CheckRules.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"
#include "isa/Numerics/Functions.h"
#include "isa/Numerics/Normalise.h"
#include "isa/Numerics/Resize.h"
#include "isa/Numerics/Softmax.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tilerig::test {

namespace {

using Index = std::array<int64_t, 5>;
using rules::Arithmetic;

bool isInteger(ElementType type) { return !isFloat(type); }

class Executor {
public:
  Executor(PlainMachine &machine, unsigned tile) : machine(machine), tile(tile) {}

  // --- elements ---

  std::byte *at(const Stream &s, Index i, std::optional<unsigned> onTile = {}) const {
    uint64_t address = s.base;
    for (int d = 0; d < 5; ++d)
      address += static_cast<uint64_t>(i[d]) * s.dims[d].stride;
    if (s.space == Space::ddr)
      return machine.ddr.data() + address;
    return machine.ocms[onTile ? *onTile : s.space == Space::remote ? s.tile : tile].data() + address;
  }
  template <class T>
  T load(const std::byte *from) const {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <class T>
  void save(std::byte *to, T value) const {
    std::memcpy(to, &value, sizeof value);
  }

  int64_t integer(const Stream &s, Index i) const { return integerAt(s.type, at(s, i)); }
  int64_t integerAt(ElementType type, const std::byte *p) const {
    switch (type) {
    case ElementType::i8:
      return load<int8_t>(p);
    case ElementType::u8:
      return load<uint8_t>(p);
    case ElementType::i9:
      return load<int16_t>(p);
    default:
      return load<int32_t>(p);
    }
  }
  float real(const Stream &s, Index i, const Affine &affine = {}) const {
    const std::byte *p = at(s, i);
    switch (s.type) {
    case ElementType::fp16:
      return toFloat(Fp16{load<uint16_t>(p)});
    case ElementType::bf16:
      return toFloat(Bf16{load<uint16_t>(p)});
    case ElementType::fp32:
      return load<float>(p);
    case ElementType::i32:
      return static_cast<float>(load<int32_t>(p));
    default:
      return static_cast<float>(integer(s, i) - affine.zeroPoint) * affine.scale;
    }
  }

  void putInteger(const Stream &s, Index i, int64_t x) const {
    std::byte *p = at(s, i);
    if (sizeBytes(s.type) == 1)
      save(p, static_cast<uint8_t>(x));
    else if (sizeBytes(s.type) == 2)
      save(p, static_cast<uint16_t>(x));
    else
      save(p, static_cast<uint32_t>(x));
  }

  static int64_t rounded(float x, RoundingMode mode) {
    if (std::isnan(x))
      return 0;
    const double bounded = std::clamp<double>(x, -0x1p40, 0x1p40);
    switch (mode) {
    case RoundingMode::halfEven:
      return static_cast<int64_t>(std::nearbyint(bounded));
    case RoundingMode::halfAway:
      return static_cast<int64_t>(std::round(bounded));
    case RoundingMode::towardZero:
      return static_cast<int64_t>(std::trunc(bounded));
    default:
      return static_cast<int64_t>(std::floor(bounded));
    }
  }
  // Quantises x: min(max(round(x) + zero point, low), high), where low and high are the clamp bounds. If the
  // result wraps around, only its low eight bits are kept.
  static int64_t quantised(float x, const Finish &finish, ElementType type) {
    const int64_t q = std::clamp<int64_t>(rounded(x, finish.rounding) + finish.output.zeroPoint,
                                          finish.clampLow, finish.clampHigh);
    if (type == ElementType::i9)
      return q;
    if (finish.wrap)
      return type == ElementType::i8 ? int64_t{static_cast<int8_t>(q)} : int64_t{static_cast<uint8_t>(q)};
    return type == ElementType::i8 ? std::clamp<int64_t>(q, -128, 127) : std::clamp<int64_t>(q, 0, 255);
  }
  void putStored(const Stream &s, Index i, float y, const Finish &finish) const {
    std::byte *p = at(s, i);
    switch (s.type) {
    case ElementType::fp16:
      return save(p, fp16FromFloat(y).bits);
    case ElementType::bf16:
      return save(p, bf16FromFloat(y).bits);
    case ElementType::fp32:
      return save(p, y);
    case ElementType::i32:
      return save(
          p, static_cast<int32_t>(std::clamp<int64_t>(rounded(y, finish.rounding), INT32_MIN, INT32_MAX)));
    default:
      return putInteger(s, i, quantised(y / finish.output.scale, finish, s.type));
    }
  }
  void putReal(const Stream &s, Index i, float y, const Finish &finish) const {
    putStored(s, i, evaluate(finish.function, y, finish.alpha, finish.beta), finish);
  }
  static int64_t functionOf(UnaryFunction function, int64_t x) {
    switch (function) {
    case UnaryFunction::relu:
      return std::max<int64_t>(x, 0);
    case UnaryFunction::abs:
      return std::abs(x);
    case UnaryFunction::neg:
      return -x;
    case UnaryFunction::sign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case UnaryFunction::logicalNot:
      return x == 0;
    default:
      return x;
    }
  }

  template <class F>
  static void overAll(const Stream &s, F f) {
    Index i{};
    for (i[0] = 0; i[0] < s.dims[0].size; ++i[0])
      for (i[1] = 0; i[1] < s.dims[1].size; ++i[1])
        for (i[2] = 0; i[2] < s.dims[2].size; ++i[2])
          for (i[3] = 0; i[3] < s.dims[3].size; ++i[3])
            for (i[4] = 0; i[4] < s.dims[4].size; ++i[4])
              f(i);
  }

  // --- moves ---

  void moveElement(const Stream &from, const std::byte *source, const Stream &to, std::byte *destination,
                   bool clip) const {
    if (from.type == to.type)
      return void(std::memcpy(destination, source, sizeBytes(to.type)));
    if (from.type == ElementType::fp32)
      return to.type == ElementType::fp16 ? save(destination, fp16FromFloat(load<float>(source)).bits)
                                          : save(destination, bf16FromFloat(load<float>(source)).bits);
    if (from.type == ElementType::fp16)
      return save(destination, toFloat(Fp16{load<uint16_t>(source)}));
    if (from.type == ElementType::bf16)
      return save(destination, toFloat(Bf16{load<uint16_t>(source)}));
    const int64_t x = integerAt(from.type, source);
    if (to.type == ElementType::i9)
      return save(destination, static_cast<int16_t>(x));
    const int64_t low = to.type == ElementType::i8 ? -128 : 0, high = to.type == ElementType::i8 ? 127 : 255;
    save(destination, static_cast<uint8_t>(clip ? std::clamp(x, low, high) : x));
  }
  template <class T>
  void move(const T &instruction) const {
    overAll(instruction.destination, [&](Index i) {
      moveElement(instruction.source, at(instruction.source, i), instruction.destination,
                  at(instruction.destination, i), instruction.clip);
    });
  }
  void run(const Load &load) const { move(load); }
  void run(const Store &store) const { move(store); }
  void run(const Multicast &multicast) const {
    for (unsigned to = 0; to < 64; ++to)
      if (multicast.tiles >> to & 1)
        overAll(multicast.destination, [&](Index i) {
          moveElement(multicast.source, at(multicast.source, i), multicast.destination,
                      at(multicast.destination, i, to), multicast.clip);
        });
  }
  void run(const Gather &gather) const {
    overAll(gather.destination, [&](Index i) {
      int64_t row = integer(gather.indices, {0, 0, 0, 0, i[2]});
      if (row < -int64_t{gather.source.dims[2].size} || row >= gather.source.dims[2].size)
        throw PlainMachine::Fault();
      row += row < 0 ? gather.source.dims[2].size : 0;
      std::memcpy(at(gather.destination, i), at(gather.source, {0, 0, row, i[3], i[4]}),
                  sizeBytes(gather.destination.type));
    });
  }
  void run(const Copy &copy) const {
    overAll(copy.output, [&](Index i) {
      std::memcpy(at(copy.output, i), at(copy.input, i), sizeBytes(copy.output.type));
    });
  }
  void run(const Fill &fill) const {
    overAll(fill.output,
            [&](Index i) { std::memcpy(at(fill.output, i), &fill.value, sizeBytes(fill.output.type)); });
  }
  static bool inside(const Stream &image, int64_t h, int64_t w) {
    return h >= 0 && h < image.dims[2].size && w >= 0 && w < image.dims[3].size;
  }
  void run(const Flatten &flatten) const {
    overAll(flatten.output, [&](Index i) {
      const int64_t h =
          i[0] * flatten.window.strideH - flatten.window.padTop + i[2] * flatten.window.dilationH;
      const int64_t w =
          i[1] * flatten.window.strideW - flatten.window.padLeft + i[3] * flatten.window.dilationW;
      const bool has = inside(flatten.input, h, w);
      std::memcpy(at(flatten.output, i),
                  has ? at(flatten.input, {0, 0, h, w, i[4]})
                      : reinterpret_cast<const std::byte *>(&flatten.padValue),
                  sizeBytes(flatten.output.type));
    });
  }

  // --- elementwise ---

  template <class T>
  static T combined(BinaryFunction f, T a, T b) {
    switch (f) {
    case BinaryFunction::equal:
      return a == b;
    case BinaryFunction::less:
      return a < b;
    case BinaryFunction::lessEqual:
      return a <= b;
    case BinaryFunction::greater:
      return a > b;
    case BinaryFunction::greaterEqual:
      return a >= b;
    case BinaryFunction::logicalAnd:
      return a != 0 && b != 0;
    case BinaryFunction::logicalOr:
      return a != 0 || b != 0;
    case BinaryFunction::logicalXor:
      return (a != 0) != (b != 0);
    case BinaryFunction::add:
      return a + b;
    case BinaryFunction::sub:
      return a - b;
    case BinaryFunction::mul:
      return a * b;
    case BinaryFunction::prelu:
      return a >= 0 ? a : a * b;
    default:
      return T(0);
    }
  }
  static float binary(BinaryFunction f, float a, float b) {
    switch (f) {
    case BinaryFunction::div:
      return a / b;
    case BinaryFunction::pow:
      return power(a, b);
    case BinaryFunction::mod:
      return flooredRemainder(a, b);
    case BinaryFunction::fmod:
      return truncatedRemainder(a, b);
    case BinaryFunction::min:
    case BinaryFunction::max: {
      if (std::isnan(a) || std::isnan(b))
        return NAN;
      if (a == b) // +0 counts as greater than -0
        return std::signbit(a) == (f == BinaryFunction::min) ? a : b;
      return (a < b) == (f == BinaryFunction::min) ? a : b;
    }
    default:
      return combined(f, a, b);
    }
  }
  static int64_t binary(BinaryFunction f, int64_t a, int64_t b) {
    switch (f) {
    case BinaryFunction::div:
      if (b == 0)
        throw PlainMachine::Fault();
      return a / b;
    case BinaryFunction::mod:
      return b == 0 ? 0 : ((a % b) + b) % b;
    case BinaryFunction::fmod:
      return b == 0 ? 0 : a % b;
    case BinaryFunction::min:
      return std::min(a, b);
    case BinaryFunction::max:
      return std::max(a, b);
    default:
      return combined(f, a, b);
    }
  }
  void run(const Binary &instruction) const {
    const bool compares =
        instruction.function >= BinaryFunction::equal && instruction.function <= BinaryFunction::greaterEqual;
    const bool integers = instruction.a.type == ElementType::i32 && instruction.b.type == ElementType::i32;
    overAll(instruction.output, [&](Index i) {
      if (integers && instruction.output.type == ElementType::i32)
        putInteger(instruction.output, i,
                   functionOf(instruction.finish.function,
                              static_cast<int32_t>(binary(instruction.function, integer(instruction.a, i),
                                                          integer(instruction.b, i)))));
      else if (integers && compares)
        putReal(instruction.output, i,
                static_cast<float>(
                    binary(instruction.function, integer(instruction.a, i), integer(instruction.b, i))),
                instruction.finish);
      else
        putReal(instruction.output, i,
                binary(instruction.function, real(instruction.a, i, instruction.aAffine),
                       real(instruction.b, i, instruction.bAffine)),
                instruction.finish);
    });
  }
  void run(const Select &select) const {
    overAll(select.output, [&](Index i) {
      const bool first = integer(select.condition, i) != 0;
      const Stream &from = first ? select.a : select.b;
      if (select.output.type == ElementType::i32)
        putInteger(select.output, i, functionOf(select.finish.function, integer(from, i)));
      else
        putReal(select.output, i, real(from, i, first ? select.aAffine : select.bAffine), select.finish);
    });
  }
  void run(const Activate &activate) const {
    overAll(activate.output, [&](Index i) {
      if (activate.output.type == ElementType::i32 && activate.input.type == ElementType::i32)
        putInteger(activate.output, i, functionOf(activate.finish.function, integer(activate.input, i)));
      else
        putReal(activate.output, i, real(activate.input, i, activate.inputAffine), activate.finish);
    });
  }
  void run(const Lookup &lookup) const {
    const int64_t lowest = lookup.input.type == ElementType::i8   ? -128
                           : lookup.input.type == ElementType::u8 ? 0
                                                                  : -256;
    overAll(lookup.output, [&](Index i) {
      const uint64_t entry =
          static_cast<uint64_t>(integer(lookup.input, i) - lowest) * sizeBytes(lookup.output.type);
      std::memcpy(at(lookup.output, i), machine.ocms[tile].data() + lookup.table.base + entry,
                  sizeBytes(lookup.output.type));
    });
  }

  // --- rows ---

  static float extreme(const std::vector<float> &x, bool greatest) {
    float best = x[0];
    for (float y : x)
      best = binary(greatest ? BinaryFunction::max : BinaryFunction::min, best, y);
    return best;
  }
  // Rounds a sum to fp32, multiplies it by a factor, rounds the product to fp32, and stores it in the output
  // type.
  void putSum(const Stream &s, Index i, int64_t sum, const Affine &in, float count,
              const Finish &finish) const {
    const float factor = in.scale / (finish.output.scale * count);
    putInteger(s, i, quantised(static_cast<float>(sum) * factor, finish, s.type));
  }

  void run(const Pool &pool) const {
    const Arithmetic arithmetic = rules::arithmeticOf(pool);
    overAll(pool.output, [&](Index i) {
      std::vector<float> taps;
      std::vector<int64_t> integers;
      int64_t padded = 0;
      for (int64_t a = 0; a < pool.kernelH; ++a)
        for (int64_t b = 0; b < pool.kernelW; ++b) {
          const int64_t h = i[2] * pool.window.strideH - pool.window.padTop + a * pool.window.dilationH;
          const int64_t w = i[3] * pool.window.strideW - pool.window.padLeft + b * pool.window.dilationW;
          padded += h < int64_t{pool.input.dims[2].size} + pool.padBottom &&
                    w < int64_t{pool.input.dims[3].size} + pool.padRight;
          if (!inside(pool.input, h, w))
            continue;
          taps.push_back(real(pool.input, {0, i[1], h, w, i[4]}, pool.inputAffine));
          if (isInteger(pool.input.type))
            integers.push_back(integer(pool.input, {0, i[1], h, w, i[4]}));
        }
      const float count = pool.function == PoolFunction::average ? static_cast<float>(taps.size())
                          : pool.function == PoolFunction::averageWithPadding ? static_cast<float>(padded)
                                                                              : 1;
      if (arithmetic == Arithmetic::keep)
        return putInteger(pool.output, i, *std::ranges::max_element(integers));
      if (arithmetic == Arithmetic::integerSum) {
        int64_t sum = 0;
        for (int64_t q : integers)
          sum += q - pool.inputAffine.zeroPoint;
        return putSum(pool.output, i, sum, pool.inputAffine, count, pool.finish);
      }
      if (pool.function == PoolFunction::max)
        return putReal(pool.output, i, extreme(taps, true), pool.finish);
      float sum = taps[0];
      for (size_t k = 1; k < taps.size(); ++k)
        sum += taps[k];
      putReal(pool.output, i, pool.function == PoolFunction::sum ? sum : sum / count, pool.finish);
    });
  }

  void run(const Reduce &reduce) const {
    const Arithmetic arithmetic = rules::arithmeticOf(reduce);
    overAll(reduce.output, [&](Index o) {
      std::vector<float> x;
      std::vector<int64_t> q;
      overAll(reduce.input, [&](Index i) {
        for (int d = 0; d < 5; ++d)
          if (!(reduce.axes >> d & 1) && i[d] != o[d])
            return;
        x.push_back(real(reduce.input, i, reduce.inputAffine));
        if (isInteger(reduce.input.type))
          q.push_back(integer(reduce.input, i));
      });
      if (arithmetic == Arithmetic::index)
        return putInteger(reduce.output, o,
                          isInteger(reduce.input.type) ? indexOf(reduce, q) : indexOf(reduce, x));
      if (arithmetic == Arithmetic::integerSum) {
        int64_t sum = 0;
        for (int64_t y : q)
          sum += y - reduce.inputAffine.zeroPoint;
        return putSum(reduce.output, o, sum, reduce.inputAffine,
                      reduce.function == ReduceFunction::mean ? static_cast<float>(q.size()) : 1,
                      reduce.finish);
      }
      if (arithmetic == Arithmetic::keep)
        return putInteger(reduce.output, o,
                          reduce.function == ReduceFunction::max ? *std::ranges::max_element(q)
                                                                 : *std::ranges::min_element(q));
      if (arithmetic == Arithmetic::integer)
        return putInteger(reduce.output, o, functionOf(reduce.finish.function, reduced(reduce.function, q)));
      putReal(reduce.output, o, reduced(reduce.function, x), reduce.finish);
    });
  }
  template <class T>
  static int64_t indexOf(const Reduce &reduce, const std::vector<T> &x) {
    size_t best = 0;
    const auto isNan = [](T y) { return y != y; };
    for (size_t i = 1; i < x.size(); ++i) {
      const bool equal = (isNan(x[i]) && isNan(x[best])) || x[i] == x[best];
      const bool better = isNan(x[i])                                 ? !isNan(x[best])
                          : isNan(x[best])                            ? false
                          : reduce.function == ReduceFunction::argMax ? x[i] > x[best]
                                                                      : x[i] < x[best];
      if (better || (equal && reduce.lastIndex))
        best = i;
    }
    return static_cast<int64_t>(best);
  }
  static int64_t reduced(ReduceFunction f, const std::vector<int64_t> &x) {
    if (f == ReduceFunction::max)
      return *std::ranges::max_element(x);
    if (f == ReduceFunction::min)
      return *std::ranges::min_element(x);
    uint32_t acc = f == ReduceFunction::product ? 1 : 0;
    for (int64_t y : x) {
      const auto u = static_cast<uint32_t>(y);
      acc = f == ReduceFunction::product      ? acc * u
            : f == ReduceFunction::sumSquares ? acc + u * u
            : f == ReduceFunction::sumAbs     ? acc + static_cast<uint32_t>(std::abs(y))
                                              : acc + u;
    }
    return static_cast<int32_t>(acc);
  }
  static float reduced(ReduceFunction f, const std::vector<float> &x) {
    if (f == ReduceFunction::max || f == ReduceFunction::min)
      return extreme(x, f == ReduceFunction::max);
    float acc = 0;
    if (f == ReduceFunction::sumSquares || f == ReduceFunction::sumAbs) {
      for (float y : x)
        acc = f == ReduceFunction::sumAbs ? acc + std::fabs(y) : std::fmaf(y, y, acc);
      return acc;
    }
    acc = x[0];
    for (size_t i = 1; i < x.size(); ++i)
      acc = f == ReduceFunction::product ? acc * x[i] : acc + x[i];
    return f == ReduceFunction::mean ? acc / static_cast<float>(x.size()) : acc;
  }

  void run(const Softmax &instruction) const {
    Stream rows = instruction.output;
    rows.dims[4].size = 1;
    overAll(rows, [&](Index r) {
      std::vector<float> x;
      for (r[4] = 0; r[4] < instruction.input.dims[4].size; ++r[4])
        x.push_back(real(instruction.input, r, instruction.inputAffine));
      instruction.logarithm ? logSoftmax(x, x) : softmax(x, x);
      for (r[4] = 0; r[4] < instruction.input.dims[4].size; ++r[4])
        putReal(instruction.output, r, x[r[4]], instruction.finish);
      r[4] = 0;
    });
  }
  void run(const Normalize &normalize) const {
    Stream groups = normalize.output;
    for (int d = 5 - normalize.innerDims; d < 5; ++d)
      groups.dims[d].size = 1;
    overAll(groups, [&](Index g) {
      std::vector<Index> members;
      std::vector<float> x;
      overAll(normalize.output, [&](Index i) {
        for (int d = 0; d < 5 - normalize.innerDims; ++d)
          if (i[d] != g[d])
            return;
        members.push_back(i);
        x.push_back(real(normalize.input, i, normalize.inputAffine));
      });
      const auto n = static_cast<float>(x.size());
      float mean = 0;
      if (normalize.mode == NormalizeMode::meanAndVariance) {
        mean = x[0];
        for (size_t k = 1; k < x.size(); ++k)
          mean += x[k];
        mean /= n;
        for (float &y : x)
          y -= mean;
      }
      float squares = 0;
      for (float y : x)
        squares = std::fmaf(y, y, squares);
      const float inverse = 1 / std::sqrt(squares / n + normalize.epsilon);
      for (size_t k = 0; k < x.size(); ++k) {
        const float gain = normalize.gain.present() ? real(normalize.gain, members[k]) : 1,
                    shift = normalize.shift.present() ? real(normalize.shift, members[k]) : 0;
        putReal(normalize.output, members[k], std::fmaf(x[k] * inverse, gain, shift), normalize.finish);
      }
    });
  }
  void run(const Resize &resize) const {
    const bool keeps = rules::arithmeticOf(resize) == Arithmetic::keep;
    const auto taps = [&](const ResizeAxis &axis, int64_t o, int64_t size) {
      std::vector<std::pair<int64_t, float>> result;
      __extension__ using Exact = __int128;
      const auto p = static_cast<Exact>(o) * axis.numerator + axis.offset;
      Exact floor = p / axis.denominator;
      if (floor * axis.denominator > p)
        --floor;
      const auto i = static_cast<int64_t>(floor);
      const auto f = static_cast<float>(
          static_cast<double>(static_cast<int64_t>(p - floor * axis.denominator)) / axis.denominator);
      const auto add = [&](int64_t at, float w) {
        result.emplace_back(std::clamp<int64_t>(at, 0, size - 1), w);
      };
      if (resize.mode == ResizeMode::nearest) {
        add(i, 1);
      } else if (resize.mode == ResizeMode::linear) {
        add(i, 1 - f);
        add(i + 1, f);
      } else {
        const auto w = cubicWeights(f, resize.cubicCoefficient);
        for (int k = 0; k < 4; ++k)
          add(i - 1 + k, w[k]);
      }
      return result;
    };
    overAll(resize.output, [&](Index o) {
      const auto rows = taps(resize.rows, o[2], resize.input.dims[2].size),
                 columns = taps(resize.columns, o[3], resize.input.dims[3].size);
      if (keeps)
        return putInteger(resize.output, o,
                          integer(resize.input, {0, o[1], rows[0].first, columns[0].first, o[4]}));
      std::vector<float> along;
      for (const auto &row : rows) {
        std::vector<float> x;
        for (const auto &column : columns)
          x.push_back(real(resize.input, {0, o[1], row.first, column.first, o[4]}, resize.inputAffine));
        along.push_back(weighted(columns, x, resize.mode));
      }
      putReal(resize.output, o, weighted(rows, along, resize.mode), resize.finish);
    });
  }
  static float weighted(const std::vector<std::pair<int64_t, float>> &taps, const std::vector<float> &x,
                        ResizeMode mode) {
    if (mode == ResizeMode::nearest)
      return x[0];
    std::optional<float> acc;
    for (size_t k = 0; k < x.size(); ++k)
      if (taps[k].second != 0)
        acc = acc ? std::fmaf(taps[k].second, x[k], *acc) : taps[k].second * x[k];
    return acc.value_or(0);
  }

  // --- POD ---

  // The pairs of operands whose products are added up to one output, in the order of addition.
  struct Terms {
    std::vector<std::pair<float, float>> reals;
    std::vector<std::pair<int64_t, int64_t>> integers;
  };
  void addTerm(Terms &terms, const Stream &a, Index i, const Stream &b, Index j, const Epilogue &e) const {
    if (isFloat(a.type))
      terms.reals.emplace_back(real(a, i), real(b, j));
    else
      terms.integers.emplace_back(integer(a, i) - e.inputZeroPoint, integer(b, j) - e.weightZeroPoint);
  }
  template <class T>
  T vectorElement(const Vector &v, int64_t output) const {
    return load<T>(machine.ocms[tile].data() + v.base + (v.broadcast ? 0 : output * int64_t{sizeof(T)}));
  }
  int64_t tableEntry(const Epilogue &e, int64_t index, ElementType type) const {
    const std::byte entry =
        machine.ocms[tile][e.table.base + static_cast<uint64_t>(index + (type == ElementType::i8 ? 128 : 0))];
    return type == ElementType::i8 ? int64_t{static_cast<int8_t>(entry)}
                                   : int64_t{static_cast<uint8_t>(entry)};
  }

  void finishOutput(const Terms &terms, const Stream &output, Index o, const Epilogue &e,
                    Arithmetic arithmetic) const {
    if (arithmetic == Arithmetic::podFloat) {
      float acc = e.accumulateFrom.present() ? real(e.accumulateFrom, o)
                  : e.bias.present           ? vectorElement<float>(e.bias, o[4])
                                             : 0;
      for (const auto &[a, b] : terms.reals)
        acc = std::fmaf(a, b, acc);
      return finishReal(acc, output, o, e);
    }
    auto acc = static_cast<uint32_t>(e.accumulateFrom.present() ? integer(e.accumulateFrom, o)
                                     : e.bias.present           ? vectorElement<int32_t>(e.bias, o[4])
                                                                : 0);
    for (const auto &[a, b] : terms.integers)
      acc += static_cast<uint32_t>(a * b);
    const auto sum = static_cast<int32_t>(acc);
    if (arithmetic == Arithmetic::podInteger)
      return putInteger(output, o, sum);
    const float r = static_cast<float>(sum) * vectorElement<float>(e.scale, o[4]);
    if (arithmetic == Arithmetic::podScaled)
      return finishReal(r, output, o, e);
    if (!e.addend.present()) {
      int64_t q = quantised(r, e.finish, output.type);
      if (e.table.present)
        q = tableEntry(e, q, output.type);
      return putInteger(output, o, q);
    }
    const int64_t low = e.middleType == ElementType::i8 ? -128 : 0;
    int64_t m = std::clamp<int64_t>(rounded(r, e.finish.rounding) + e.middle.zeroPoint, low, low + 255);
    if (e.table.present && e.functionFirst)
      m = tableEntry(e, m, e.middleType);
    const float y =
        static_cast<float>(m - e.middle.zeroPoint) * e.middle.scale + real(e.addend, o, e.addendAffine);
    int64_t q = quantised(y / e.finish.output.scale, e.finish, output.type);
    if (e.table.present && !e.functionFirst)
      q = tableEntry(e, q, output.type);
    putInteger(output, o, q);
  }
  void finishReal(float y, const Stream &output, Index o, const Epilogue &e) const {
    const auto function = [&](float x) {
      return evaluate(e.finish.function, x, e.finish.alpha, e.finish.beta);
    };
    if (e.functionFirst)
      y = function(y);
    if (e.addend.present())
      y += real(e.addend, o, e.addendAffine);
    putStored(output, o, e.functionFirst ? y : function(y), e.finish);
  }

  void run(const Matmul &matmul) const {
    const Arithmetic arithmetic = rules::arithmeticOf(matmul);
    overAll(matmul.output, [&](Index o) {
      Terms terms;
      for (int64_t k = 0; k < matmul.a.dims[4].size; ++k)
        addTerm(terms, matmul.a, {o[0], o[1], o[2], o[3], k}, matmul.b, {o[0], o[1], o[2], o[4], k},
                matmul.epilogue);
      finishOutput(terms, matmul.output, o, matmul.epilogue, arithmetic);
    });
  }
  void run(const Conv &conv) const {
    const Arithmetic arithmetic = rules::arithmeticOf(conv);
    const int64_t channels = conv.weights.dims[4].size,
                  outputsPerGroup = conv.weights.dims[1].size / conv.groups;
    overAll(conv.output, [&](Index o) {
      Terms terms;
      for (int64_t i = 0; i < conv.weights.dims[2].size; ++i)
        for (int64_t j = 0; j < conv.weights.dims[3].size; ++j) {
          const int64_t h = o[2] * conv.window.strideH - conv.window.padTop + i * conv.window.dilationH;
          const int64_t w = o[3] * conv.window.strideW - conv.window.padLeft + j * conv.window.dilationW;
          for (int64_t c = 0; c < channels && inside(conv.input, h, w); ++c)
            addTerm(terms, conv.input, {0, o[1], h, w, o[4] / outputsPerGroup * channels + c}, conv.weights,
                    {0, o[4], i, j, c}, conv.epilogue);
        }
      finishOutput(terms, conv.output, o, conv.epilogue, arithmetic);
    });
  }

  template <ControlInstruction T>
  void run(const T &) const {}

private:
  PlainMachine &machine;
  unsigned tile;
};

} // namespace

void PlainMachine::execute(const Instruction &instruction, unsigned tile) {
  std::visit([&](const auto &typed) { Executor(*this, tile).run(typed); }, instruction);
}

} // namespace tilerig::test
