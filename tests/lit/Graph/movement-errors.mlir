// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @reshape(%x: tensor<2x6xf32>) -> tensor<5x2xf32> {
  // expected-error @+1 {{shape 2x6 cannot be reshaped to 5x2: number or type of the elements differs}}
  %y = graph.reshape %x : (tensor<2x6xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// -----

func.func @slice(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{slice from 0 to 6 by step 1 is out of range for axis 1 of shape 2x5}}
  %y = graph.slice %x {starts = array<i64: 0, 0>, ends = array<i64: 2, 6>, steps = array<i64: 1, 1>}
    : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

func.func @transpose(%x: tensor<2x5xf32>) -> tensor<5x2xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{perm 1x1 is not a permutation of the axes of shape 2x5}}
  %y = graph.transpose %x {perm = array<i64: 1, 1>} : (tensor<2x5xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}
