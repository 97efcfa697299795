// The operators QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "isa/Base/Tensor/FourBits.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Map.h"
#include "reference/Ops/Quantise.h"

namespace tilerig::reference {

namespace {

// Maps the elements of a tensor to their parameters (scale and zero point). The tensor is divided into rows
// of `inner` elements. A row has one parameter or, in blockwise quantisation, one for each of its elements.
struct ParameterMap {
  int64_t rows = 1, inner = 1;
  int64_t size = 1;        // size of the quantised axis
  int64_t block = 1;       // number of elements of a block (blockwise quantisation)
  int64_t blocks = 1;      // number of blocks
  bool perElement = false; // whether each element of a row has its own scale and zero point
  bool whole = false;      // whether the whole tensor has a single scale and zero point

  int64_t startOf(int64_t row) const {
    if (whole)
      return 0;
    if (!perElement)
      return row % size;
    return (row / size * blocks + row % size / block) * inner;
  }
  int64_t step() const { return perElement ? 1 : 0; }

  // Calls use(first element, number of elements, index of the scale and zero point of the first element) for
  // each row or part of a row, in parallel.
  template <class Use>
  void forEach(Threads &threads, Use use) const {
    if (whole)
      return threads.forEach(inner, elementGrain,
                             [&](int64_t begin, int64_t end) { use(begin, end - begin, 0); });
    threads.forEach(rows, std::max<int64_t>(1, elementGrain / std::max<int64_t>(1, inner)),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t row = begin; row < end; ++row)
                        use(row * inner, inner, startOf(row));
                    });
  }
};

Result<ParameterMap> blockwiseMap(const OpContext &context, const Shape &x, size_t axis, int64_t block) {
  const Shape &scale = context.input(1).shape();
  Shape wanted = x;
  if (block > 0)
    wanted[axis] = x[axis] / block + (x[axis] % block != 0);
  if (block < 1 || scale != wanted)
    return context.invalid(fmt::format("a scale of shape {} does not match blocks of {} along axis {} of "
                                       "input shape {}",
                                       showShape(scale), block, axis, showShape(x)));
  AxisSplit split(x, axis);
  return ParameterMap{split.outer * split.size, split.inner, split.size, block, wanted[axis], true, false};
}

Result<ParameterMap> parameterMap(const OpContext &context) {
  const Tensor &x = context.input(0), &scale = context.input(1);
  if (context.has(2) && context.input(2).elementCount() != scale.elementCount())
    return context.invalid(fmt::format("the zero point has shape {}, but the scale has shape {}",
                                       showShape(context.input(2).shape()), showShape(scale.shape())));
  TILERIG_TRY(int64_t block, context.intAttribute("block_size", 0));
  TILERIG_TRY(int64_t axisAttribute, context.intAttribute("axis", 1));
  if (block == 0 && scale.rank() <= 1 && scale.elementCount() == 1)
    return ParameterMap{1, static_cast<int64_t>(x.elementCount()), 1, 1, 1, false, true};
  TILERIG_TRY(size_t axis, context.axis(axisAttribute, x.rank()));
  if (block != 0)
    return blockwiseMap(context, x.shape(), axis, block);
  if (scale.shape() != Shape{x.shape()[axis]})
    return context.invalid(fmt::format("a scale of shape {} does not match axis {} of input shape {}",
                                       showShape(scale.shape()), axis, showShape(x.shape())));
  AxisSplit split(x.shape(), axis);
  return ParameterMap{split.outer * split.size, split.inner, split.size, 1, split.size, false, false};
}

template <class T>
inline constexpr bool isQuantised = std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2;

// The zero points (input 2), which must have type `wanted`, as 32-bit integers; zeros if the input is absent.
Result<std::vector<int32_t>> zeroPoints(const OpContext &context, DType wanted) {
  if (!context.has(2))
    return std::vector<int32_t>(context.input(1).elementCount(), 0);
  const Tensor &tensor = context.input(2);
  if (tensor.dtype() != wanted)
    return context.invalid(fmt::format("the zero point has type {}, but the quantised values have type {}",
                                       nameOf(tensor.dtype()), nameOf(wanted)));
  return dispatch(wanted, [&]<class T>() -> Result<std::vector<int32_t>> {
    if constexpr (isQuantised<T> || std::is_same_v<T, int32_t>) {
      auto elements = tensor.as<T>();
      return std::vector<int32_t>(elements.begin(), elements.end());
    } else {
      return context.invalid(fmt::format("quantised values of type {} are not supported", nameOf(wanted)));
    }
  });
}

template <class F>
Status forScaleType(const OpContext &context, F f) {
  DType type = context.input(1).dtype();
  if (type == DType::f32)
    return f.template operator()<float>();
  if (type == DType::f64)
    return f.template operator()<double>();
  return context.invalid(fmt::format("the scale has type {}, expected a float type", nameOf(type)));
}

// QuantizeLinear for given types: divides the elements by their scale, in the scale's type, and rounds.
template <class From, class To, class Float>
void quantiseElements(const OpContext &context, const ParameterMap &map, std::span<const int32_t> zeros,
                      Tensor &output) {
  const From *from = context.input(0).as<From>().data();
  const Float *scales = context.input(1).as<Float>().data();
  To *to = output.mutableAs<To>().data();
  map.forEach(context.threads, [&](int64_t first, int64_t count, int64_t parameter) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = parameter + i * map.step();
      to[first + i] = roundToInteger<To>(static_cast<Float>(from[first + i]) / scales[at], zeros[at]);
    }
  });
}

// The type in which tensors hold elements of the type with this number; none for 0 and for types without one.
std::optional<DType> storageOf(int64_t number) {
  const auto fourBits = fourBitsOfOnnx(number);
  return fourBits ? std::optional(fourBits->storage) : dtypeOfOnnx(number);
}

// The type of QuantizeLinear's result: that of the zero point, or else attribute output_dtype, or else uint8.
Result<DType> quantisedType(const OpContext &context) {
  TILERIG_TRY(int64_t number, context.intAttribute("output_dtype", 0));
  const std::optional<DType> stated = storageOf(number);
  if (number != 0 && !stated)
    return context.notSupported(fmt::format("output_dtype {} is not supported", number));
  DType type = context.has(2) ? context.input(2).dtype() : stated.value_or(DType::u8);
  if (stated && *stated != type)
    return context.invalid("output_dtype differs from the type of the zero point");
  return type;
}

// Limits bytes to the range of 4-bit integers if attribute output_dtype states such a type.
Status limitToFourBits(const OpContext &context, Tensor &bytes) {
  TILERIG_TRY(int64_t number, context.intAttribute("output_dtype", 0));
  const auto type = fourBitsOfOnnx(number);
  const auto limit = [&]<class T>(std::span<T> elements) {
    for (T &element : elements)
      element = static_cast<T>(std::clamp<int>(element, type->lowest, type->highest));
  };
  if (type && type->storage == DType::i8)
    limit(bytes.mutableAs<int8_t>());
  else if (type)
    limit(bytes.mutableAs<uint8_t>());
  return success();
}

Status quantizeLinear(OpContext &context) {
  TILERIG_TRY(DType type, quantisedType(context));
  TILERIG_TRY(ParameterMap map, parameterMap(context));
  TILERIG_TRY(auto zeros, zeroPoints(context, type));
  DType from = context.input(0).dtype();
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(type, context.input(0).shape()));
  TILERIG_CHECK_OK(forScaleType(context, [&]<class Float>() {
    return dispatch(type, [&]<class To>() -> Status {
      if constexpr (!isQuantised<To>)
        return context.notSupported(
            fmt::format("quantised values of type {} are not supported", nameOf(type)));
      else if (from == dtypeOf<Float>)
        quantiseElements<Float, To, Float>(context, map, zeros, output);
      else if (from == DType::i32)
        quantiseElements<int32_t, To, Float>(context, map, zeros, output);
      else
        return context.invalid(fmt::format("the input has type {}, expected int32 or the scale's type {}",
                                           nameOf(from), nameOf(context.input(1).dtype())));
      return success();
    });
  }));
  TILERIG_CHECK_OK(limitToFourBits(context, output));
  context.outputs[0] = std::move(output);
  return success();
}

// DequantizeLinear for given types: subtracts the zero point as integers, then multiplies by the scale, in
// the scale's type.
template <class From, class Float>
void dequantiseElements(const OpContext &context, const ParameterMap &map, std::span<const int32_t> zeros,
                        Tensor &output) {
  const From *from = context.input(0).as<From>().data();
  const Float *scales = context.input(1).as<Float>().data();
  Float *to = output.mutableAs<Float>().data();
  using Difference = std::conditional_t<sizeof(From) < 4, int32_t, int64_t>;
  map.forEach(context.threads, [&](int64_t first, int64_t count, int64_t parameter) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = parameter + i * map.step();
      to[first + i] = static_cast<Float>(Difference(from[first + i]) - zeros[at]) * scales[at];
    }
  });
}

// DequantizeLinear of 8-bit floats, which tensors hold in a wider type. Their zero point must be 0.
Status dequantiseFloats(OpContext &context, const ParameterMap &map) {
  const Tensor &x = context.input(0);
  if (x.dtype() != context.input(1).dtype())
    return context.notSupported(fmt::format("8-bit floats with a scale of type {} are not supported",
                                            nameOf(context.input(1).dtype())));
  const auto isZero = [](std::byte byte) { return byte == std::byte{0}; };
  if (context.has(2) && !std::ranges::all_of(context.input(2).bytes(), isZero))
    return context.invalid("the zero point of 8-bit floats must be 0");
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(x.dtype(), x.shape()));
  TILERIG_CHECK_OK(forScaleType(context, [&]<class Float>() -> Status {
    const Float *from = x.as<Float>().data(), *scales = context.input(1).as<Float>().data();
    Float *to = output.mutableAs<Float>().data();
    map.forEach(context.threads, [&](int64_t first, int64_t count, int64_t parameter) {
      for (int64_t i = 0; i < count; ++i)
        to[first + i] = from[first + i] * scales[parameter + i * map.step()];
    });
    return success();
  }));
  context.outputs[0] = std::move(output);
  return success();
}

Status dequantizeLinear(OpContext &context) {
  DType from = context.input(0).dtype();
  TILERIG_TRY(ParameterMap map, parameterMap(context));
  if (context.hasAttribute("stored_dtype"))
    return dequantiseFloats(context, map);
  TILERIG_TRY(auto zeros, zeroPoints(context, from));
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(context.input(1).dtype(), context.input(0).shape()));
  TILERIG_CHECK_OK(forScaleType(context, [&]<class Float>() {
    return dispatch(from, [&]<class From>() -> Status {
      if constexpr (isQuantised<From> || std::is_same_v<From, int32_t>) {
        dequantiseElements<From, Float>(context, map, zeros, output);
        return success();
      } else {
        return context.invalid(fmt::format("an input of type {} cannot be dequantised", nameOf(from)));
      }
    });
  }));
  context.outputs[0] = std::move(output);
  return success();
}

// DynamicQuantizeLinear: maps the range of the values, extended to contain 0, to 0 ... 255; the zero point is
// the integer to which 0 is mapped.
template <class T>
void quantiseDynamically(OpContext &context) {
  auto x = context.input(0).as<T>();
  T least = 0, greatest = 0;
  for (T value : x) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  T scale = least == greatest ? T(1) : (greatest - least) / T(255);
  uint8_t zeroPoint = roundToInteger<uint8_t>((T(0) - least) / scale, 0);
  Tensor y(DType::u8, context.input(0).shape());
  auto to = y.mutableAs<uint8_t>();
  for (size_t i = 0; i < x.size(); ++i)
    to[i] = roundToInteger<uint8_t>(x[i] / scale, zeroPoint);
  std::array results{std::move(y), Tensor::scalar(scale), Tensor::scalar(zeroPoint)};
  for (size_t i = 0; i < std::min(results.size(), context.numOutputs()); ++i)
    context.outputs[i] = std::move(results[i]);
}

Status dynamicQuantizeLinear(OpContext &context) {
  DType type = context.input(0).dtype();
  if (type == DType::f32)
    quantiseDynamically<float>(context);
  else if (type == DType::f64)
    quantiseDynamically<double>(context);
  else
    return context.invalid(fmt::format("the input has type {}, expected a float type", nameOf(type)));
  return success();
}

} // namespace

std::span<const OpEntry> quantisationOps() {
  static constexpr OpEntry entries[] = {
      {"QuantizeLinear", 10, 2, 3, quantizeLinear, HalfFloats::widenedEach},
      {"DequantizeLinear", 10, 2, 3, dequantizeLinear},
      {"DynamicQuantizeLinear", 11, 1, 1, dynamicQuantizeLinear},
  };
  return entries;
}

} // namespace tilerig::reference
