// Instructions of the POD (matrix engine): matrix multiplication and direct convolution, with bias, scaling,
// addend and activation.
//
// Accumulation, for both instructions. Integer operands (i8, u8): acc is exact in 32 bits (where overflow is
// possible it wraps and is counted). It starts from the i32 bias, the i32 accumulate_from, or 0, and adds (a
// - input_zero_point) * (b - weight_zero_point) for every k. Float operands (both of one type): acc = fmaf(a,
// b, acc) in fp32 with k ascending, starting from the fp32 bias, the fp32 accumulate_from, or +0. Padding
// adds nothing.
//
// Then the result is computed in this order, depending on the types of the operands and of the output:
//   integer to i32         the accumulator itself
//   integer to i8, u8, i9  q = fp32(acc) * scale, rounded by `rounding`, + zero point, clamped. Without an
//                          addend, zero point and bounds are those of `finish`, and q is looked up in the
//                          table if there is one. With an addend, q has the type middle_type, the scale and
//                          zero point `middle` and the bounds of the type. Then y = (q - zp) * scale +
//                          (addend - zp) * scale, one fp32 operation each, is quantised by `finish` with an
//                          fp32 division. The table is applied to q if function_first is 1, and to the
//                          result if it is 0. The table is the only possible function.
//   integer to float       r = fp32(acc) * scale, the addend, the function, one rounding to the output type
//   float to float         the addend, the function, one rounding to the output type
#pragma once

#include "isa/Instructions/Control.h"

namespace tilerig {

struct Matmul {
  uint32_t layer = 0;
  Mapping mapping = Mapping::lamm;
  Stream a = {}, b = {}, output = {};
  Epilogue epilogue = {};
  bool operator==(const Matmul &) const = default;

  ElementType multipliedType() const { return a.type; }

  static constexpr uint8_t opcode = 0x20;
  static constexpr std::string_view mnemonic = "matmul";
  static constexpr unsigned bits = 2688;
  static constexpr auto engine = Engine::pod;
  static constexpr auto family = Family::product;
  static constexpr std::string_view meaning =
      "output[x,y,z,m,n] = finish(sum over k of a[x,y,z,m,k] * b[x,y,z,n,k]): sizes x y z m k, x y z n k and "
      "x y z m n. Strides express transposed and repeated operands. The mapping changes the time, never the "
      "bits: LAMM keeps a panel of 16 outputs in the registers while the positions m stream past; SAMM1 "
      "keeps all of a and streams b once; SAMM2 takes a in panels of k and keeps the accumulators.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Matmul>(),
        Field{"mapping", &Matmul::mapping, 32, 2, "how the operands are mapped to the registers of the POD"},
        Group{"a", &Matmul::a, 128, "positions by k"},
        Group{"b", &Matmul::b, 512, "outputs by k"},
        Group{"output", &Matmul::output, 896, "positions by outputs"},
        Group{"epilogue", &Matmul::epilogue, 1280, "steps that compute the result from an accumulator"},
    };
  }
};

struct Conv {
  uint32_t layer = 0;
  uint32_t groups = 1;
  Window window = {};
  Stream input = {}, weights = {}, output = {};
  Epilogue epilogue = {};
  bool operator==(const Conv &) const = default;

  ElementType multipliedType() const { return input.type; }

  static constexpr uint8_t opcode = 0x21;
  static constexpr std::string_view mnemonic = "conv";
  static constexpr unsigned bits = 2816;
  static constexpr auto engine = Engine::pod;
  static constexpr auto family = Family::product;
  static constexpr std::string_view meaning =
      "Direct convolution: output[n,oh,ow,o] = finish(sum over i, j, c of input[n, oh*stride_h - pad_top + "
      "i*dilation_h, ow*stride_w - pad_left + j*dilation_w, g*C + c] * weights[o,i,j,c]), g = o / (O / "
      "groups). Sizes: input 1 N H W groups*C, weights 1 O KH KW C, output 1 N OH OW O. k ascends over i, "
      "then j, then c. Taps that fall outside H x W are padding and are skipped. groups = channels is a "
      "depthwise convolution.";
  static constexpr auto fields() {
    return std::tuple{
        layerField<Conv>(),
        Field{"groups", &Conv::groups, 32, 24, "number of groups; divides the channels and the outputs"}.from(
            1),
        Group{"window", &Conv::window, 128, "strides, dilations and padding of the window"},
        Group{"input", &Conv::input, 256, "input image, with the dimensions batch, rows, columns, channels"},
        Group{"weights", &Conv::weights, 640,
              "weights, with the dimensions outputs, kernel rows, kernel columns, channels of a group"},
        Group{"output", &Conv::output, 1024,
              "output image, with the dimensions batch, rows, columns, outputs"},
        Group{"epilogue", &Conv::epilogue, 1408, "steps that compute the result from an accumulator"},
    };
  }
};

using PodInstructions = InstructionList<Matmul, Conv>;

} // namespace tilerig
