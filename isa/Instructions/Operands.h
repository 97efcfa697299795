// The composite operands of instructions: streams, vectors, windows, and the post-processing of results.
#pragma once

#include "isa/Instructions/Types.h"

namespace tilerig {

// One dimension of an address generator: `size` steps, `stride` bytes apart.
struct Dimension {
  uint32_t size = 1;
  uint32_t stride = 0;
  bool operator==(const Dimension &) const = default;

  static constexpr unsigned bits = 64;
  static constexpr auto fields() {
    return std::tuple{
        Field{"size", &Dimension::size, 0, 32,
              "number of steps of the dimension; 0 only in an absent stream"},
        Field{"stride", &Dimension::stride, 32, 32, "bytes from one step to the next; 0 where the size is 1"},
    };
  }
};

// A five-dimensional address generator, outermost dimension first. An absent stream is all zero bits. A write
// stream must be nested: each stride is at least the extent of the dimensions inside it, so that no byte is
// written twice. A read stream may repeat elements (stride 0) and permute dimensions. Addresses and strides
// are multiples of the element size.
struct Stream {
  Space space = Space::none;
  ElementType type = ElementType::i8;
  uint8_t tile = 0;
  uint64_t base = 0;
  std::array<Dimension, 5> dims = absentDims;
  bool operator==(const Stream &) const = default;

  bool present() const { return space != Space::none; }

  static constexpr std::array<Dimension, 5> absentDims = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}};
  static constexpr unsigned bits = 384;
  static constexpr auto fields() {
    return std::tuple{
        Field{"space", &Stream::space, 0, 2,
              "memory: own OCM, DDR, the OCM of another tile, or none (absent)"},
        Field{"type", &Stream::type, 2, 4, "element type"},
        Field{"tile", &Stream::tile, 8, 8, "number of the other tile if the space is remote; else 0"},
        Field{"base", &Stream::base, 16, 40, "byte address of the first element of the stream"},
        Repeated{"dims", &Stream::dims, 64, Dimension::bits,
                 "the five dimensions of the stream, outermost first"},
    };
  }
};

// Per-channel constants, contiguous in the tile's own OCM (on-chip memory): one element for each output of
// the instruction, or a single element that is broadcast. The instruction defines the element type.
struct Vector {
  bool present = false;
  bool broadcast = false;
  uint64_t base = 0;
  bool operator==(const Vector &) const = default;

  static constexpr unsigned bits = 64;
  static constexpr auto fields() {
    return std::tuple{
        Field{"present", &Vector::present, 0, 1, "0: the vector is absent, and all its other bits are zero"},
        Field{"broadcast", &Vector::broadcast, 1, 1,
              "1: a single element of the vector serves every channel"},
        Field{"base", &Vector::base, 16, 40, "byte address of the vector in the own OCM"},
    };
  }
};

// Stride, dilation and padding of the window of a convolution or pooling. Positions outside the input are
// padding and are skipped. A tile that computes the middle of an image has no padding: its input includes the
// rows of neighbouring tiles that its windows reach (halo).
struct Window {
  uint16_t strideH = 1, strideW = 1, dilationH = 1, dilationW = 1, padTop = 0, padLeft = 0;
  bool operator==(const Window &) const = default;

  static constexpr unsigned bits = 96;
  static constexpr auto fields() {
    return std::tuple{
        Field{"stride_h", &Window::strideH, 0, 16, "input rows from one output row to the next"}.from(1),
        Field{"stride_w", &Window::strideW, 16, 16, "input columns from one output column to the next"}.from(
            1),
        Field{"dilation_h", &Window::dilationH, 32, 16, "input rows from one tap to the next"}.from(1),
        Field{"dilation_w", &Window::dilationW, 48, 16, "input columns from one tap to the next"}.from(1),
        Field{"pad_top", &Window::padTop, 64, 16, "rows of padding above the input"},
        Field{"pad_left", &Window::padLeft, 80, 16, "columns of padding left of the input"},
    };
  }
};

// Scale and zero point of a quantised operand: real = (q - zeroPoint) * scale. Both are zero for types that
// are not quantised.
struct Affine {
  float scale = 0;
  int16_t zeroPoint = 0;
  bool operator==(const Affine &) const = default;

  static constexpr unsigned bits = 64;
  static constexpr auto fields() {
    return std::tuple{
        Field{"scale", &Affine::scale, 0, 32, "scale as fp32, positive and finite"},
        Field{"zero_point", &Affine::zeroPoint, 32, 9, "integer that stands for the real number 0"},
    };
  }
};

// The last steps of every computing instruction: function, quantisation, bounds, narrowing. For float and i32
// outputs all fields of the quantisation are zero.
struct Finish {
  UnaryFunction function = UnaryFunction::identity;
  RoundingMode rounding = RoundingMode::halfEven;
  bool wrap = false;
  int16_t clampLow = 0, clampHigh = 0;
  float alpha = 0, beta = 0;
  Affine output = {};
  bool operator==(const Finish &) const = default;

  static constexpr unsigned bits = 192;
  static constexpr auto fields() {
    return std::tuple{
        Field{"function", &Finish::function, 0, 6,
              "function that is applied in fp32 before the result is rounded or quantised"},
        Field{"rounding", &Finish::rounding, 6, 2,
              "rounding mode by which an fp32 result becomes an integer"},
        Field{"wrap", &Finish::wrap, 8, 1,
              "1: only the low eight bits of an i8 or u8 output are kept after bounding"},
        Field{"clamp_low", &Finish::clampLow, 16, 9,
              "lower bound of a quantised output: a value of its type, or of nine bits if `wrap` is set"},
        Field{"clamp_high", &Finish::clampHigh, 32, 9,
              "upper bound of a quantised output: a value of its type, or of nine bits if `wrap` is set"},
        Field{"alpha", &Finish::alpha, 64, 32, "fp32, first parameter of the function"},
        Field{"beta", &Finish::beta, 96, 32, "fp32, second parameter of the function"},
        Group{"output", &Finish::output, 128, "scale and zero point of a quantised output"},
    };
  }
};

// How the POD (matrix engine) processes an accumulator before the result is stored.
struct Epilogue {
  Vector bias = {}, scale = {}, table = {};
  int16_t inputZeroPoint = 0, weightZeroPoint = 0;
  ElementType middleType = ElementType::i8;
  bool functionFirst = false;
  Affine middle = {}, addendAffine = {};
  Finish finish = {};
  Stream accumulateFrom = {}, addend = {};
  bool operator==(const Epilogue &) const = default;

  static constexpr unsigned bits = 1408;
  static constexpr auto fields() {
    return std::tuple{
        Group{"bias", &Epilogue::bias, 0, "starting value of the accumulators: i32 or fp32 per output"},
        Group{"scale", &Epilogue::scale, 64,
              "factor (fp32, per output) by which an i32 accumulator is multiplied"},
        Group{"table", &Epilogue::table, 128,
              "lookup table of 256 entries, indexed by the quantised result; index and entries have the type "
              "middle_type if function_first is 1, else the output type"},
        Field{"input_zero_point", &Epilogue::inputZeroPoint, 192, 9,
              "zero point that is subtracted from every integer input"},
        Field{"weight_zero_point", &Epilogue::weightZeroPoint, 208, 9,
              "zero point that is subtracted from every integer weight"},
        Field{"middle_type", &Epilogue::middleType, 224, 4,
              "type to which the accumulator is requantised before an addend is added: i8 or u8"},
        Field{"function_first", &Epilogue::functionFirst, 232, 1,
              "1: function and table act before the addend is added; 0: after"},
        Group{"middle", &Epilogue::middle, 256, "scale and zero point of the values of middle_type"},
        Group{"addend_affine", &Epilogue::addendAffine, 320, "scale and zero point of a quantised addend"},
        Group{"finish", &Epilogue::finish, 384, "function, quantisation and bounds of the result"},
        Group{"accumulate_from", &Epilogue::accumulateFrom, 640,
              "starting value of every accumulator, in place of the bias: i32 or fp32, shaped as the output"},
        Group{"addend", &Epilogue::addend, 1024, "tensor added to the result, shaped as the output"},
    };
  }
};

} // namespace tilerig
