// Instructions of the PE (vector engine): elementwise, row-wise and windowed operations.
//
// Reading: a quantised element (i8, u8, i9) stands for fp32((q - zero_point)) * scale, one multiplication; a
// float element for its own value; an i32 element for its value rounded to fp32, except where every operand
// and the output are i32: then all arithmetic is on integers. Writing, for all instructions with a `finish`:
// the function is applied to the fp32 result, giving y. A float output is y, rounded once. A quantised output
// is y / scale (one fp32 division), rounded by `rounding`, plus the zero point, clamped to clamp_low and
// clamp_high, and, if `wrap` is set, truncated to its low eight bits. Sums and products run over ascending
// index. The element types select the arithmetic: see the tables in Check*.cpp.
#pragma once

#include "isa/Instructions/Control.h"

namespace tilerig {

struct Binary {
  uint32_t layer = 0;
  BinaryFunction function = BinaryFunction::add;
  Affine aAffine = {}, bAffine = {};
  Finish finish = {};
  Stream a = {}, b = {}, output = {};
  bool operator==(const Binary &) const = default;

  bool mayFault() const { return function == BinaryFunction::div && output.type == ElementType::i32; }

  static constexpr uint8_t opcode = 0x30;
  static constexpr std::string_view mnemonic = "binary";
  static constexpr unsigned bits = 1664;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::elementwise;
  static constexpr std::string_view meaning =
      "output = finish(function(a, b)), one fp32 operation for each element; sizes of all three agree, and a "
      "stride of 0 broadcasts. Comparisons and logic give 1 or 0; logic takes any value but zero as true. "
      "prelu is a for a >= 0, else a * b. mod takes the sign of the divisor, fmod that of the dividend. min "
      "and max are a NaN where an operand is one, and +0 is above -0. Comparisons of two i32 compare the "
      "integers. If all operands and the output are i32, arithmetic is exact modulo 2^32, div rounds toward "
      "zero and faults where b is 0, mod and fmod by 0 give 0, and there is no pow.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Binary>(),
        Field{"function", &Binary::function, 32, 5, "what is computed"},
        Group{"a_affine", &Binary::aAffine, 128, "scale and zero point of operand a"},
        Group{"b_affine", &Binary::bAffine, 192, "scale and zero point of operand b"},
        Group{"finish", &Binary::finish, 256, "conversion of the fp32 result to the type of the output"},
        Group{"a", &Binary::a, 512, "first operand"},
        Group{"b", &Binary::b, 896, "second operand"},
        Group{"output", &Binary::output, 1280, "result"},
    };
  }
};

struct Select {
  uint32_t layer = 0;
  Affine aAffine = {}, bAffine = {};
  Finish finish = {};
  Stream condition = {}, a = {}, b = {}, output = {};
  bool operator==(const Select &) const = default;

  static constexpr uint8_t opcode = 0x31;
  static constexpr std::string_view mnemonic = "select";
  static constexpr unsigned bits = 2048;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::elementwise;
  static constexpr std::string_view meaning =
      "output = finish(condition is not 0 ? a : b) for each element; the condition is u8; sizes of all "
      "four agree, and a stride of 0 broadcasts.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Select>(),
        Group{"a_affine", &Select::aAffine, 128, "scale and zero point of operand a"},
        Group{"b_affine", &Select::bAffine, 192, "scale and zero point of operand b"},
        Group{"finish", &Select::finish, 256, "conversion of the fp32 result to the type of the output"},
        Group{"condition", &Select::condition, 512, "u8 condition: 0 selects b, any other value selects a"},
        Group{"a", &Select::a, 896, "operand that is taken where the condition is not 0"},
        Group{"b", &Select::b, 1280, "taken elsewhere"},
        Group{"output", &Select::output, 1664, "result"},
    };
  }
};

struct Activate {
  uint32_t layer = 0;
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, output = {};
  bool operator==(const Activate &) const = default;

  static constexpr uint8_t opcode = 0x32;
  static constexpr std::string_view mnemonic = "activate";
  static constexpr unsigned bits = 1152;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::elementwise;
  static constexpr std::string_view meaning =
      "output = finish(input) for each element; sizes agree. With the function identity it converts "
      "between types and between scales. Any other type becomes an i32 by `rounding` and saturation, NaN "
      "becomes 0.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Activate>(),
        Group{"input_affine", &Activate::inputAffine, 64, "scale and zero point of the input"},
        Group{"finish", &Activate::finish, 128,
              "function, and conversion of its fp32 result to the type of the output"},
        Group{"input", &Activate::input, 384, "operand"},
        Group{"output", &Activate::output, 768, "result"},
    };
  }
};

struct Lookup {
  uint32_t layer = 0;
  Vector table = {};
  Stream input = {}, output = {};
  bool operator==(const Lookup &) const = default;

  // The 16 bits of an i9 in memory may hold a value outside its range, for which the table has no entry.
  bool mayFault() const { return input.type == ElementType::i9; }

  static constexpr uint8_t opcode = 0x33;
  static constexpr std::string_view mnemonic = "lookup";
  static constexpr unsigned bits = 896;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::elementwise;
  static constexpr std::string_view meaning =
      "output = table[input] for each element. The table has an entry of the output type for every value "
      "of the input type, the lowest value first: 256 for i8 (from -128) and u8 (from 0), 512 for i9 (from "
      "-256).";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Lookup>(),
        Group{"table", &Lookup::table, 64, "entries of the lookup table, in the own OCM"},
        Group{"input", &Lookup::input, 128, "i8, u8 or i9"},
        Group{"output", &Lookup::output, 512, "result, any type"},
    };
  }
};

struct Pool {
  uint32_t layer = 0;
  PoolFunction function = PoolFunction::max;
  uint16_t kernelH = 1, kernelW = 1;
  Window window = {};
  uint32_t padBottom = 0, padRight = 0;
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, output = {};
  bool operator==(const Pool &) const = default;

  static constexpr uint8_t opcode = 0x34;
  static constexpr std::string_view mnemonic = "pool";
  static constexpr unsigned bits = 1408;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::pooling;
  static constexpr std::string_view meaning =
      "Combines the kernel_h x kernel_w taps of each window and channel: sizes input 1 N H W C, output 1 N "
      "OH OW C. Taps outside the input are skipped. `average` divides by the number of taps inside the "
      "input, `average_with_padding` by the number inside the input extended by the padding on its four "
      "sides. `max` on a quantised type compares integers and keeps type, scale and zero point; NaN "
      "propagates. A quantised average is the exact integer sum of q - zero_point times factor = in.scale "
      "/ (out.scale * count), one fp32 operation each, then rounding, zero point and bounds; a quantised "
      "sum the same with count 1. A float average is the ascending fp32 sum and one fp32 division. A "
      "window without a tap is illegal.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Pool>(),
        Field{"function", &Pool::function, 32, 2, "how the taps of a window are combined"},
        Field{"kernel_h", &Pool::kernelH, 40, 16, "rows of taps"}.from(1),
        Field{"kernel_w", &Pool::kernelW, 64, 16, "columns of taps"}.from(1),
        Field{"pad_bottom", &Pool::padBottom, 80, 24,
              "rows of padding below the input, for average_with_padding; else 0"},
        Field{"pad_right", &Pool::padRight, 104, 24,
              "columns of padding right of the input, for average_with_padding; else 0"},
        Group{"window", &Pool::window, 128, "strides, dilations and padding of the window"},
        Group{"input_affine", &Pool::inputAffine, 256, "scale and zero point of the input"},
        Group{"finish", &Pool::finish, 320, "conversion of the fp32 result to the type of the output"},
        Group{"input", &Pool::input, 640, "input image, with the dimensions batch, rows, columns, channels"},
        Group{"output", &Pool::output, 1024,
              "output image, with the dimensions batch, rows, columns, channels"},
    };
  }
};

struct Reduce {
  uint32_t layer = 0;
  ReduceFunction function = ReduceFunction::sum;
  uint8_t axes = 1;
  bool lastIndex = false;
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, output = {};
  bool operator==(const Reduce &) const = default;

  static constexpr uint8_t opcode = 0x35;
  static constexpr std::string_view mnemonic = "reduce";
  static constexpr unsigned bits = 1152;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::reduction;
  static constexpr std::string_view meaning =
      "Combines all elements along the dimensions in `axes`; the output has size 1 there and the input's "
      "size elsewhere. Order: ascending, the innermost reduced dimension fastest, starting from the first "
      "element. Quantised sum and mean are the exact integer sum of q - zero_point times factor = in.scale / "
      "(out.scale * count), where count is 1 for sum and the number of summed elements for mean; "
      "quantised max and min compare integers and keep scale and zero point; the others work on the fp32 "
      "values. mean is the sum and one fp32 division. arg_max and arg_min reduce one dimension and write "
      "the i32 index of the first extreme (last_index: the last); NaN counts as the extreme.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Reduce>(),
        Field{"function", &Reduce::function, 32, 4, "how the elements are combined"},
        Field{"axes", &Reduce::axes, 40, 5, "bit d set: dimension d (0 is the outermost) is reduced"}
            .from(1)
            .as(Notation::set),
        Field{"last_index", &Reduce::lastIndex, 48, 1,
              "arg_max, arg_min: 1 selects the last of equal extremes, 0 the first"},
        Group{"input_affine", &Reduce::inputAffine, 64, "scale and zero point of the input"},
        Group{"finish", &Reduce::finish, 128, "conversion of the fp32 result to the type of the output"},
        Group{"input", &Reduce::input, 384, "operand"},
        Group{"output", &Reduce::output, 768, "result"},
    };
  }
};

struct Softmax {
  uint32_t layer = 0;
  bool logarithm = false;
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, output = {};
  bool operator==(const Softmax &) const = default;

  static constexpr uint8_t opcode = 0x36;
  static constexpr std::string_view mnemonic = "softmax";
  static constexpr unsigned bits = 1152;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::normalisation;
  static constexpr std::string_view meaning =
      "Computes the softmax, or its logarithm, of each row of the innermost dimension, then applies "
      "`finish`; input and output have the same sizes. The maximum of the row is subtracted from each "
      "element. exp of the difference is computed in double and rounded to fp32. These values are summed in "
      "double in ascending order, the sum is rounded to fp32, and each value is divided by it in fp32.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Softmax>(),
        Field{"logarithm", &Softmax::logarithm, 32, 1, "1: log-softmax"},
        Group{"input_affine", &Softmax::inputAffine, 64, "scale and zero point of the input"},
        Group{"finish", &Softmax::finish, 128, "conversion of the fp32 result to the type of the output"},
        Group{"input", &Softmax::input, 384, "operand"},
        Group{"output", &Softmax::output, 768, "result"},
    };
  }
};

struct Normalize {
  uint32_t layer = 0;
  NormalizeMode mode = NormalizeMode::meanAndVariance;
  uint8_t innerDims = 1;
  float epsilon = 0;
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, gain = {}, shift = {}, output = {};
  bool operator==(const Normalize &) const = default;

  static constexpr uint8_t opcode = 0x37;
  static constexpr std::string_view mnemonic = "normalize";
  static constexpr unsigned bits = 1920;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::normalisation;
  static constexpr std::string_view meaning =
      "Normalises over the `inner_dims` innermost dimensions: computes (x - mean) / sqrt(variance + "
      "epsilon), or x / sqrt(mean of x^2 + epsilon), multiplies it by the gain, adds the shift and applies "
      "`finish`. Gain and shift are optional float operands with the sizes of the input; strides of 0 "
      "broadcast them. The numerics page states the order of operations. Input and output have the same "
      "sizes.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Normalize>(),
        Field{"mode", &Normalize::mode, 32, 1, "what is normalised"},
        Field{"inner_dims", &Normalize::innerDims, 40, 3,
              "number of normalised dimensions, counted from the innermost"}
            .within(1, 5),
        Field{"epsilon", &Normalize::epsilon, 64, 32, "fp32 number that is added under the square root"},
        Group{"input_affine", &Normalize::inputAffine, 128, "scale and zero point of the input"},
        Group{"finish", &Normalize::finish, 192, "conversion of the fp32 result to the type of the output"},
        Group{"input", &Normalize::input, 384, "operand"},
        Group{"gain", &Normalize::gain, 768, "factor, or absent"},
        Group{"shift", &Normalize::shift, 1152, "summand, or absent"},
        Group{"output", &Normalize::output, 1536, "result"},
    };
  }
};

struct Copy {
  uint32_t layer = 0;
  Stream input = {}, output = {};
  bool operator==(const Copy &) const = default;

  static constexpr uint8_t opcode = 0x38;
  static constexpr std::string_view mnemonic = "copy";
  static constexpr unsigned bits = 896;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::move;
  static constexpr std::string_view meaning =
      "Moves elements unchanged; types and sizes agree. The strides of the input may permute, repeat and "
      "skip, so this also transposes, expands, slices and joins.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Copy>(),
        Group{"input", &Copy::input, 128, "what is read"},
        Group{"output", &Copy::output, 512, "what is written"},
    };
  }
};

struct Flatten {
  uint32_t layer = 0;
  uint32_t padValue = 0;
  Window window = {};
  Stream input = {}, output = {};
  bool operator==(const Flatten &) const = default;

  static constexpr uint8_t opcode = 0x39;
  static constexpr std::string_view mnemonic = "flatten";
  static constexpr unsigned bits = 1024;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::move;
  static constexpr std::string_view meaning =
      "Lays out the windows of an image as rows of a matrix: sizes input 1 1 H W C, output OH OW KH KW C, "
      "types agree. Taps outside the input get the pad value.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Flatten>(),
        Field{"pad_value", &Flatten::padValue, 32, 32, "bits of the element that stands for padding"}.as(
            Notation::bits),
        Group{"window", &Flatten::window, 128, "strides, dilations and padding of the window"},
        Group{"input", &Flatten::input, 256, "input image, with the dimensions rows, columns, channels"},
        Group{"output", &Flatten::output, 640,
              "output matrix: a row for each window, a column for each tap and channel"},
    };
  }
};

// One axis of a resize: output position o is sampled at input position (o * numerator + offset) /
// denominator.
struct ResizeAxis {
  uint32_t numerator = 1, denominator = 1;
  int64_t offset = 0;
  bool operator==(const ResizeAxis &) const = default;

  static constexpr unsigned bits = 128;
  static constexpr auto fields() {
    return std::tuple{
        Field{"numerator", &ResizeAxis::numerator, 0, 32,
              "step in the input from one output to the next, in units of 1/denominator"},
        Field{"denominator", &ResizeAxis::denominator, 32, 32,
              "denominator of the fractions that state positions in the input"}
            .from(1),
        Field{"offset", &ResizeAxis::offset, 64, 48,
              "position in the input of output 0, in units of 1/denominator"},
    };
  }
};

struct Resize {
  uint32_t layer = 0;
  ResizeMode mode = ResizeMode::nearest;
  float cubicCoefficient = 0;
  ResizeAxis rows = {}, columns = {};
  Affine inputAffine = {};
  Finish finish = {};
  Stream input = {}, output = {};
  bool operator==(const Resize &) const = default;

  static constexpr uint8_t opcode = 0x3a;
  static constexpr std::string_view mnemonic = "resize";
  static constexpr unsigned bits = 1408;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::resampling;
  static constexpr std::string_view meaning =
      "Resamples an image: sizes input 1 N H W C, output 1 N OH OW C. With p = o * numerator + offset, the "
      "input index is i = floor(p / denominator), and the fraction f = (p mod denominator) / denominator "
      "in fp32. `nearest` takes element i; `linear` the taps i, i+1 with weights 1-f, f; `cubic` the taps "
      "i-1..i+2 with the weights of the cubic kernel of `cubic_coefficient`. Indices are clamped to the "
      "input, and taps of weight 0 left out. Each row of taps is combined first, columns ascending, then "
      "the rows, ascending; the order of operations is that of the numerics page. `nearest` on equal "
      "quantised types keeps the integers.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Resize>(),
        Field{"mode", &Resize::mode, 32, 2, "which taps"},
        Field{"cubic_coefficient", &Resize::cubicCoefficient, 64, 32,
              "fp32 coefficient of the cubic kernel; 0 in other modes"},
        Group{"rows", &Resize::rows, 128, "mapping of output rows to input rows"},
        Group{"columns", &Resize::columns, 256, "mapping of output columns to input columns"},
        Group{"input_affine", &Resize::inputAffine, 384, "scale and zero point of the input"},
        Group{"finish", &Resize::finish, 448, "conversion of the fp32 result to the type of the output"},
        Group{"input", &Resize::input, 640,
              "input image, with the dimensions batch, rows, columns, channels"},
        Group{"output", &Resize::output, 1024,
              "output image, with the dimensions batch, rows, columns, channels"},
    };
  }
};

struct Fill {
  uint32_t layer = 0;
  uint32_t value = 0;
  Stream output = {};
  bool operator==(const Fill &) const = default;

  static constexpr uint8_t opcode = 0x3b;
  static constexpr std::string_view mnemonic = "fill";
  static constexpr unsigned bits = 512;
  static constexpr auto engine = Engine::pe;
  static constexpr auto family = Family::move;
  static constexpr std::string_view meaning = "Writes the same element to every position of the output.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Fill>(),
        Field{"value", &Fill::value, 32, 32, "bits of the element to write, in the low bits of the field"}.as(
            Notation::bits),
        Group{"output", &Fill::output, 128, "what is written"},
    };
  }
};

using PeInstructions = InstructionList<Binary, Select, Activate, Lookup, Pool, Reduce, Softmax, Normalize,
                                       Copy, Flatten, Resize, Fill>;

} // namespace tilerig
