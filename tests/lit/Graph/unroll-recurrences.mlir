// Recurrent layers become products and elementwise operations of each step.
// RUN: tilerig-opt %s -pass-pipeline="builtin.module(func.func(unroll-recurrences{max-steps=3},canonicalize,cse))" | FileCheck %s

// The inputs of all steps are multiplied in one product, in both directions. In the first step the states are zero, so
// only the later ones have a product. The output joins the states after the steps, those of the second direction
// in reverse order.
// CHECK-LABEL: func.func @lstm
// CHECK: graph.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>) -> tensor<2x1x6x4xf32>
// CHECK: graph.matmul %{{.*}} : (tensor<2x1x6x4xf32>, tensor<2x4x4x5xf32>) -> tensor<2x4x6x5xf32>
// CHECK: graph.add %{{.*}} : (tensor<2x4x6x5xf32>, tensor<2x4x1x5xf32>) -> tensor<2x4x6x5xf32>
// CHECK: graph.sigmoid %{{.*}} : tensor<2x3x2x5xf32>
// CHECK: graph.tanh
// CHECK: %[[C:.*]] = graph.mul
// CHECK: graph.tanh %[[C]]
// CHECK: graph.matmul %{{.*}} : (tensor<2x1x2x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x2x5xf32>
// CHECK: graph.matmul %{{.*}} : (tensor<2x1x2x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x2x5xf32>
// CHECK-NOT: graph.matmul
// CHECK: graph.concat %{{.*}} {axis = 1 : i64} : (tensor<2x1x2x5xf32>, tensor<2x1x2x5xf32>, tensor<2x1x2x5xf32>) -> tensor<2x3x2x5xf32>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, -1, 2, 5>, starts = array<i64: 0, 2, 0, 0>, steps = array<i64: 1, -1, 1, 1>}
func.func @lstm(%x: tensor<3x2x4xf32>, %w: tensor<2x20x4xf32>, %r: tensor<2x20x5xf32>, %b: tensor<2x40xf32>) -> tensor<3x2x2x5xf32> {
  %y, %h, %c = graph.lstm(%x, %w, %r, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, direction = 2 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<3x2x4xf32>, tensor<2x20x4xf32>, tensor<2x20x5xf32>, tensor<2x40xf32>) -> (tensor<3x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
  return %y : tensor<3x2x2x5xf32>
}

// With linearBeforeReset, one product has all gates; without, the reset gate multiplies the state before a second
// product.
// CHECK-LABEL: func.func @gru_linear
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x2x5xf32>, tensor<1x3x5x5xf32>) -> tensor<1x3x2x5xf32>
// CHECK-NOT: graph.matmul
func.func @gru_linear(%x: tensor<1x2x4xf32>, %w: tensor<1x15x4xf32>, %r: tensor<1x15x5xf32>, %s: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  %y, %h = graph.gru(%x, %w, %r, %s) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32, linearBeforeReset}
    : (tensor<1x2x4xf32>, tensor<1x15x4xf32>, tensor<1x15x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x1x2x5xf32>, tensor<1x2x5xf32>)
  return %h : tensor<1x2x5xf32>
}

// CHECK-LABEL: func.func @gru
// CHECK: %[[Z:.*]] = graph.matmul %{{.*}} : (tensor<1x1x2x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x2x5xf32>
// CHECK: %[[N:.*]] = graph.matmul %{{.*}} : (tensor<1x1x2x5xf32>, tensor<1x1x5x5xf32>) -> tensor<1x1x2x5xf32>
func.func @gru(%x: tensor<1x2x4xf32>, %w: tensor<1x15x4xf32>, %r: tensor<1x15x5xf32>, %s: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  %y, %h = graph.gru(%x, %w, %r, %s) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<1x2x4xf32>, tensor<1x15x4xf32>, tensor<1x15x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x1x2x5xf32>, tensor<1x2x5xf32>)
  return %h : tensor<1x2x5xf32>
}

// Sequences that all end after two of three steps: the output of the third step is zero. Functions have their
// parameters, and sums are clipped.
// CHECK-LABEL: func.func @rnn
// CHECK: graph.clip
// CHECK: graph.elu %{{.*}} {alpha = 5.000000e-01 : f32}
// CHECK: graph.clip
// CHECK: graph.elu
// CHECK-NOT: graph.elu
// CHECK: graph.pad %{{.*}} pads = array<i64: 0, 0, 0, 0, 1, 0, 0, 0>
func.func @rnn(%x: tensor<3x2x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) -> tensor<3x1x2x5xf32> {
  %l = graph.constant dense<2> : tensor<2xi32>
  %y, %h = graph.rnn(%x, %w, %r, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, direction = 1 : i32, hidden = 5 : i64, activations = ["Elu"], alphas = array<f32: 0.5>, betas = array<f32>, clip = 3.0 : f32}
    : (tensor<3x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>, tensor<2xi32>) -> (tensor<3x1x2x5xf32>, tensor<1x2x5xf32>)
  return %y : tensor<3x1x2x5xf32>
}

// CHECK-LABEL: func.func @too_long
// CHECK: graph.rnn{{.*}}graph.not_unrolled = "it has 4 steps, and at most 3 are unrolled"
func.func @too_long(%x: tensor<4x2x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) -> tensor<4x1x2x5xf32> {
  %y, %h = graph.rnn(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<4x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (tensor<4x1x2x5xf32>, tensor<1x2x5xf32>)
  return %y : tensor<4x1x2x5xf32>
}

// CHECK-LABEL: func.func @lengths_that_differ
// CHECK: graph.rnn{{.*}}graph.not_unrolled = "its sequences differ in length, or their lengths are not constant"
// CHECK: graph.rnn{{.*}}graph.not_unrolled = "its sequences differ in length, or their lengths are not constant"
func.func @lengths_that_differ(%x: tensor<3x2x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>, %m: tensor<2xi32>) -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>) {
  %l = graph.constant dense<[2, 3]> : tensor<2xi32>
  %y, %h = graph.rnn(%x, %w, %r, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<3x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>, tensor<2xi32>) -> (tensor<3x1x2x5xf32>, tensor<1x2x5xf32>)
  %z, %i = graph.rnn(%x, %w, %r, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<3x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>, tensor<2xi32>) -> (tensor<3x1x2x5xf32>, tensor<1x2x5xf32>)
  return %h, %i : tensor<1x2x5xf32>, tensor<1x2x5xf32>
}

// CHECK-LABEL: func.func @other_function
// CHECK: graph.rnn{{.*}}graph.not_unrolled = "activation 'Sine' is not known"
func.func @other_function(%x: tensor<3x2x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) -> tensor<1x2x5xf32> {
  %y, %h = graph.rnn(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sine"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<3x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (tensor<3x1x2x5xf32>, tensor<1x2x5xf32>)
  return %h : tensor<1x2x5xf32>
}

// The state of a single sequence is a column.
// CHECK-LABEL: func.func @column
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x5x5xf32>, tensor<1x1x5x1xf32>) -> tensor<1x1x5x1xf32>
func.func @column(%x: tensor<2x1x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) -> tensor<1x1x5xf32> {
  %y, %h = graph.rnn(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<2x1x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (tensor<2x1x1x5xf32>, tensor<1x1x5xf32>)
  return %h : tensor<1x1x5xf32>
}
