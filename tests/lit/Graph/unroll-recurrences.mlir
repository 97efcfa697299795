// Recurrent layers become products and elementwise operations of each step.
// RUN: tilerig-opt %s -pass-pipeline="builtin.module(func.func(unroll-recurrences{max-steps=3},canonicalize,cse))" | FileCheck %s

// The inputs of all steps are multiplied in one product, in both directions. Each step takes the rows of each direction
// in the order in which the direction reads them. In the first step the states are zero, so only the later ones have a
// product. Tanh is applied to all gates; the sigmoids of the first three are computed from it, as their weights are
// halved. The output joins the states after the steps, those of the second direction in reverse order.
// CHECK-LABEL: func.func @lstm
// CHECK: %[[HALF:.*]] = graph.constant dense<5.000000e-01>
// CHECK: graph.mul %{{.*}}, %[[HALF]] : (tensor<2x15x4xf32>, tensor<f32>) -> tensor<2x15x4xf32>
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x6x4xf32>, tensor<2x4x4x5xf32>) -> tensor<2x4x6x5xf32>
// CHECK: graph.add %{{.*}} : (tensor<2x4x6x5xf32>, tensor<2x4x1x5xf32>) -> tensor<2x4x6x5xf32>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, 4, 2, 5>, starts = array<i64: 0, 0, 0, 0>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, 4, 6, 5>, starts = array<i64: 0, 0, 4, 0>
// CHECK: graph.concat %{{.*}} {axis = 0 : i64} : (tensor<1x4x2x5xf32>, tensor<1x4x2x5xf32>) -> tensor<2x4x2x5xf32>
// CHECK: graph.tanh %{{.*}} : tensor<2x4x2x5xf32>
// CHECK: graph.hard_sigmoid %{{.*}} {alpha = 5.000000e-01 : f32, beta = 5.000000e-01 : f32} : tensor<2x3x2x5xf32>
// CHECK: %[[C:.*]] = graph.mul
// CHECK: graph.tanh %[[C]]
// CHECK: %[[H1:.*]] = graph.mul
// CHECK: graph.matmul %[[H1]], %{{.*}} : (tensor<2x1x2x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x2x5xf32>
// CHECK: graph.concat %{{.*}}, %[[C]] {axis = 1 : i64} : (tensor<2x4x2x5xf32>, tensor<2x1x2x5xf32>) -> tensor<2x5x2x5xf32>
// CHECK: %[[PAIR:.*]] = graph.mul %{{.*}} : (tensor<2x2x2x5xf32>, tensor<2x2x2x5xf32>)
// CHECK: graph.add
// CHECK: graph.tanh
// CHECK: graph.reduce_sum %[[PAIR]]
// CHECK: graph.matmul %{{.*}} : (tensor<2x1x2x5xf32>, tensor<2x4x5x5xf32>) -> tensor<2x4x2x5xf32>
// CHECK-NOT: graph.matmul
// CHECK: %[[FORWARD:.*]] = graph.concat %{{.*}} {axis = 1 : i64} : (tensor<1x1x2x5xf32>, tensor<1x1x2x5xf32>, tensor<1x1x2x5xf32>) -> tensor<1x3x2x5xf32>
// CHECK: %[[FIRST:.*]] = graph.slice %[[H1]] {ends = array<i64: 2, 1, 2, 5>, starts = array<i64: 1, 0, 0, 0>
// CHECK: %[[REVERSE:.*]] = graph.concat %{{.*}}, %{{.*}}, %[[FIRST]] {axis = 1 : i64}
// CHECK: graph.concat %[[FORWARD]], %[[REVERSE]] {axis = 0 : i64}
func.func @lstm(%x: tensor<3x2x4xf32>, %w: tensor<2x20x4xf32>, %r: tensor<2x20x5xf32>, %b: tensor<2x40xf32>) -> tensor<3x2x2x5xf32> {
  %y, %h, %c = graph.lstm(%x, %w, %r, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, direction = 2 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<3x2x4xf32>, tensor<2x20x4xf32>, tensor<2x20x5xf32>, tensor<2x40xf32>) -> (tensor<3x2x2x5xf32>, tensor<2x2x5xf32>, tensor<2x2x5xf32>)
  return %y : tensor<3x2x2x5xf32>
}

// With linearBeforeReset, one product has all gates; without, the reset gate multiplies the state before a second
// product. The weights of the update gate are negated, so that it has the value k of the sum k n + k (-h) + h.
// CHECK-LABEL: func.func @gru_linear
// CHECK: %[[MINUS:.*]] = graph.constant dense<-1.000000e+00>
// CHECK: graph.mul %{{.*}}, %[[MINUS]] : (tensor<1x5x4xf32>, tensor<f32>) -> tensor<1x5x4xf32>
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x2x4xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x2x5xf32>
// CHECK: %[[STATE:.*]] = graph.reshape
// CHECK: %[[NEGATED:.*]] = graph.neg %[[STATE]]
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x2x5xf32>, tensor<1x3x5x5xf32>) -> tensor<1x3x2x5xf32>
// CHECK-NOT: graph.matmul
// CHECK: %[[N:.*]] = graph.tanh
// CHECK: graph.concat %[[N]], %[[NEGATED]] {axis = 1 : i64}
// CHECK: %[[PRODUCTS:.*]] = graph.mul %{{.*}} : (tensor<1x1x2x5xf32>, tensor<1x2x2x5xf32>)
// CHECK: %[[SUMMANDS:.*]] = graph.concat %[[PRODUCTS]], %[[STATE]] {axis = 1 : i64}
// CHECK: graph.reduce_sum %[[SUMMANDS]]
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

// Functions other than the sigmoid have no complement, so the update gate multiplies h - n.
// CHECK-LABEL: func.func @gru_of_hard_sigmoids
// CHECK: %[[STATE:.*]] = graph.reshape %arg3
// CHECK: %[[N:.*]] = graph.tanh
// CHECK: graph.sub %[[STATE]], %[[N]]
func.func @gru_of_hard_sigmoids(%x: tensor<1x2x4xf32>, %w: tensor<1x15x4xf32>, %r: tensor<1x15x5xf32>, %s: tensor<1x2x5xf32>) -> tensor<1x2x5xf32> {
  %y, %h = graph.gru(%x, %w, %r, %s) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, direction = 0 : i32, hidden = 5 : i64, activations = ["HardSigmoid", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32, linearBeforeReset}
    : (tensor<1x2x4xf32>, tensor<1x15x4xf32>, tensor<1x15x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x1x2x5xf32>, tensor<1x2x5xf32>)
  return %h : tensor<1x2x5xf32>
}

// Sums of products that are clipped have another sigmoid than tanh of half the sum gives.
// CHECK-LABEL: func.func @clipped_lstm
// CHECK: graph.clip
// CHECK: graph.sigmoid
// CHECK-NOT: graph.hard_sigmoid
// CHECK: return
func.func @clipped_lstm(%x: tensor<2x1x4xf32>, %w: tensor<1x20x4xf32>, %r: tensor<1x20x5xf32>) -> tensor<1x1x5xf32> {
  %y, %h, %c = graph.lstm(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 3.0 : f32}
    : (tensor<2x1x4xf32>, tensor<1x20x4xf32>, tensor<1x20x5xf32>) -> (tensor<2x1x1x5xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>)
  return %h : tensor<1x1x5xf32>
}

// An initial state of zeros is no state: the first step has no product.
// CHECK-LABEL: func.func @zero_state
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x2x4xf32>
// CHECK-NOT: graph.matmul
// CHECK: return
func.func @zero_state(%x: tensor<1x2x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>) -> tensor<1x1x2x5xf32> {
  %s = graph.constant dense<0.0> : tensor<1x2x5xf32>
  %y, %h = graph.rnn(%x, %w, %r, %s) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<1x2x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x1x2x5xf32>, tensor<1x2x5xf32>)
  return %y : tensor<1x1x2x5xf32>
}

// The second layer multiplies the result of each step of the first layer by itself, and its steps alternate with those
// of the first layer.
// CHECK-LABEL: func.func @stacked
// CHECK: graph.matmul %{{.*}} : (tensor<1x1x2x4xf32>, tensor<1x1x4x5xf32>) -> tensor<1x1x2x5xf32>
// CHECK: %[[H:.*]] = graph.tanh
// CHECK-DAG: graph.matmul %{{.*}}, %[[H]] : {{.*}} -> tensor<1x1x5x1xf32>
// CHECK-DAG: graph.matmul %{{.*}}, %[[H]] : {{.*}} -> tensor<1x1x6x1xf32>
// CHECK-NOT: graph.concat
// CHECK: graph.matmul %{{.*}} : {{.*}} -> tensor<1x1x6x1xf32>
func.func @stacked(%x: tensor<2x1x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>, %v: tensor<1x6x5xf32>, %u: tensor<1x6x6xf32>) -> tensor<2x1x1x6xf32> {
  %y, %h = graph.rnn(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<2x1x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>) -> (tensor<2x1x1x5xf32>, tensor<1x1x5xf32>)
  %s = graph.reshape %y : (tensor<2x1x1x5xf32>) -> tensor<2x1x5xf32>
  %z, %i = graph.rnn(%s, %v, %u) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 6 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<2x1x5xf32>, tensor<1x6x5xf32>, tensor<1x6x6xf32>) -> (tensor<2x1x1x6xf32>, tensor<1x1x6xf32>)
  return %z : tensor<2x1x1x6xf32>
}
