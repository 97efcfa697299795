// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @other_channels(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{an image of shape 1x6x6x2 cannot give a result of shape 1x2x2x3}}
  %y = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x3xf32>
  return
}

// -----

func.func @row(%x: tensor<1x6x2xf32>) {
  // expected-error @+1 {{the image must have batch, rows, columns and channels, not shape 1x6x2}}
  %y = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x2xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @one_number(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must have two numbers each, pads four}}
  %y = layer.pool max %x {kernel = array<i64: 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @no_kernel(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{kernel, strides and dilations must be positive, pads not negative}}
  %y = layer.pool max %x {kernel = array<i64: 0, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @long_step(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{kernel, strides, dilations and pads must be at most 2^31}}
  %y = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 4294967296, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @neither_down_nor_up(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{along spatial axis 1 there are 2 windows, or 3 with partial ones, but the result has 4 elements}}
  %y = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x4x2xf32>
  return
}

// -----

func.func @fewer(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{along spatial axis 0 there are 2 windows, or 3 with partial ones, but the result has 1 elements}}
  %y = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// The third window would begin at row 8 of 6.
func.func @begins_behind(%x: tensor<1x5x6x2xf32>) {
  // expected-error @+1 {{along spatial axis 0 there are 2 windows, or 2 with partial ones, but the result has 3 elements}}
  %y = layer.pool max %x {kernel = array<i64: 2, 3>, strides = array<i64: 4, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 1, 0>} : (tensor<1x5x6x2xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @too_large(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{along spatial axis 0 there are 0 windows, or 0 with partial ones, but the result has 1 elements}}
  %y = layer.pool max %x {kernel = array<i64: 7, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

// The average of a window that covers only padding is undefined.
func.func @padding_only(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{some of its windows lie completely in the padding}}
  %y = layer.pool average %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 2, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x4x3x2xf32>
  return
}

// -----

func.func @padding_only_behind(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{some of its windows lie completely in the padding}}
  %y = layer.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 2>} : (tensor<1x6x6x2xf32>) -> tensor<1x3x4x2xf32>
  return
}

// -----

func.func @no_such_kind(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+2 {{failed to parse Layer_PoolKind parameter}}
  // expected-error @+1 {{'median' is not a value that the instruction set defines for this field}}
  %y = layer.pool median %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @resize_channels(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{an image of shape 1x6x6x2 cannot give a result of shape 1x12x6x3}}
  %y = layer.resize linear %x {rows = array<i64: 1, 2, 0>, columns = array<i64: 1, 1, 0>, cubicCoefficient = 0.0 : f32} : (tensor<1x6x6x2xf32>) -> tensor<1x12x6x3xf32>
  return
}

// -----

func.func @resize_pair(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{attributes 'rows' and 'columns' must each have a numerator, a positive denominator and an offset}}
  %y = layer.resize linear %x {rows = array<i64: 1, 2>, columns = array<i64: 1, 1, 0>, cubicCoefficient = 0.0 : f32} : (tensor<1x6x6x2xf32>) -> tensor<1x12x6x2xf32>
  return
}

// -----

func.func @resize_by_zero(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{attributes 'rows' and 'columns' must each have a numerator, a positive denominator and an offset}}
  %y = layer.resize linear %x {rows = array<i64: 1, 2, 0>, columns = array<i64: 1, 0, 0>, cubicCoefficient = 0.0 : f32} : (tensor<1x6x6x2xf32>) -> tensor<1x12x6x2xf32>
  return
}

// -----

func.func @dilate_by_zero(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{the dilation needs an image, and a positive step for rows and for columns}}
  %y = layer.dilate %x {steps = array<i64: 0, 1>} : (tensor<1x6x6x2xf32>) -> tensor<1x11x16x2xf32>
  return
}

// -----

// A dilation inserts nothing after the last element.
func.func @dilate_size(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{the result has shape 1x12x18x2, expected 1x11x16x2}}
  %y = layer.dilate %x {steps = array<i64: 2, 3>} : (tensor<1x6x6x2xf32>) -> tensor<1x12x18x2xf32>
  return
}

// -----

func.func @dilate_type(%x: tensor<1x6x6x2xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.dilate %x {steps = array<i64: 2, 3>} : (tensor<1x6x6x2xf32>) -> tensor<1x11x16x2xf16>
  return
}
