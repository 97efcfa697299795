// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @vector_weights(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+1 {{the weights must have outputs, rows, columns and channels, not shape 4x3x3}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @row(%x: tensor<1x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{the image must have batch, rows, columns and channels, not shape 1x8x3}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @three_strides(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must have two numbers each, pads four}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @two_pads(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must have two numbers each, pads four}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @no_step(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must be positive, pads not negative}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 0>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @no_dilation(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must be positive, pads not negative}}
  %y = layer.conv %x, %w {dilations = array<i64: 0, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// Negative padding is an error; elements are cut off by a slice.
func.func @negative_pad(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must be positive, pads not negative}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, -1, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @far_apart(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{kernel, strides, dilations and pads must be at most 2^31}}
  %y = layer.conv %x, %w {dilations = array<i64: 9223372036854775807, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @no_group(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{weights of shape 4x3x3x3 in 0 groups do not fit an image of shape 1x8x8x3}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 0 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// Weights have the channels of one group only.
func.func @groups_of_channels(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{weights of shape 4x3x3x3 in 2 groups do not fit an image of shape 1x8x8x3}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @groups_of_outputs(%x: tensor<1x8x8x9xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{weights of shape 4x3x3x3 in 3 groups do not fit an image of shape 1x8x8x9}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 3 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x9xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @wrong_size(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{the result has shape 1x8x8x4, expected 1x6x6x4}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----

// A kernel of three taps with dilation 4 covers nine rows.
func.func @does_not_fit(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{the result has shape 1x6x6x4, expected 1x-1x6x4}}
  %y = layer.conv %x, %w {dilations = array<i64: 4, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @bias_of_five(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{the bias has shape 5, expected one element for each of 4 outputs}}
  %y = layer.conv %x, %w bias %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<5xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @addend_of_a_row(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %r: tensor<1x1x6x4xf32>) {
  // expected-error @+1 {{the addend has shape 1x1x6x4, but the result has shape 1x6x6x4}}
  %y = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1x1x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @first_of_none(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %r: tensor<1x6x6x4xf32>) {
  // expected-error @+1 {{'functionFirst' states that the function is applied before the addend is added, but the function or the addend is missing}}
  %y = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, functionFirst} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @first_before_nothing(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{'functionFirst' states that the function is applied before the addend is added, but the function or the addend is missing}}
  %y = layer.conv %x, %w then <relu> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, functionFirst} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @two_types(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf16>) {
  // expected-error @+1 {{cannot multiply 'f32' by 'f16'}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf16>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @half_quantised(%x: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{cannot multiply '!quant.uniform<u8:f32, 5.000000e-01:128>' by 'f32'}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @middle_of_floats(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{the layer has the attribute 'middle' (the quantised type of its sums), but no quantised operands}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, middle = !quant.uniform<i8:f32, 0.5>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @float_middle(%x: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{attribute 'middle' has type 'f32', which is not quantised}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, middle = f32} : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @nine_bits(%x: tensor<1x8x8x3x!quant.uniform<i16<-256:255>:f32, 0.5>>, %w: tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error @+1 {{the machine cannot multiply 9-bit integers}}
  %y = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3x!quant.uniform<i16<-256:255>:f32, 0.5>>, tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @float_bias(%x: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4xf32>) {
  // expected-error @+1 {{the bias has type 'f32', but the sums are 32-bit integers}}
  %y = layer.conv %x, %w bias %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>) -> tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @integer_bias(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xi32>) {
  // expected-error @+1 {{the bias has type 'i32', but the sums are floats}}
  %y = layer.conv %x, %w bias %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xi32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

func.func @no_middle(%x: tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>, %r: tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>) {
  // expected-error @+1 {{the layer has an addend and a quantised result, so it needs the attribute 'middle': the type to which its sums are quantised before the addition}}
  %y = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x8x8x3x!quant.uniform<u8:f32, 0.5:128>>, tensor<4x3x3x3x!quant.uniform<i8:f32, 0.5>>, tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<1x6x6x4x!quant.uniform<u8:f32, 0.5:128>>
  return
}

// -----

func.func @vector(%a: tensor<3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{matrices must have at least two axes, not shapes 3 and 4x3}}
  %y = layer.matmul %a, %b : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4xf32>
  return
}

// -----

// The second matrix is outputs by depth, unless transposedB is set.
func.func @depths(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{matrices of shapes 2x3 and 3x4 cannot be multiplied}}
  %y = layer.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @batches(%a: tensor<2x5x3xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error @+1 {{matrices of shapes 2x5x3 and 4x6x3 cannot be multiplied}}
  %y = layer.matmul %a, %b : (tensor<2x5x3xf32>, tensor<4x6x3xf32>) -> tensor<4x5x6xf32>
  return
}

// -----

func.func @result(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{the result has shape 4x2, expected 2x4}}
  %y = layer.matmul %a, %b : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @bias_of_many(%a: tensor<5x2x3xf32>, %b: tensor<5x4x3xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{a bias needs a single matrix b, not a batch of matrices}}
  %y = layer.matmul %a, %b bias %c : (tensor<5x2x3xf32>, tensor<5x4x3xf32>, tensor<4xf32>) -> tensor<5x2x4xf32>
  return
}
