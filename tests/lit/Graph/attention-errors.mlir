// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @keys(%q: tensor<3x16xf32>, %k: tensor<5x8xf32>, %v: tensor<5x6xf32>) -> tensor<3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the shapes of queries 3x16, keys 5x8 and values 5x6 do not match}}
  %y = graph.attention %q, %k, %v {scale = 1.0 : f64} : (tensor<3x16xf32>, tensor<5x8xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

func.func @mask(%q: tensor<3x16xf32>, %k: tensor<5x16xf32>, %v: tensor<5x6xf32>, %mask: tensor<2x3x5xf32>) -> tensor<3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{mask of shape 2x3x5 cannot be broadcast to 3x5}}
  %y = graph.attention %q, %k, %v mask %mask {scale = 1.0 : f64}
    : (tensor<3x16xf32>, tensor<5x16xf32>, tensor<5x6xf32>, tensor<2x3x5xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

func.func @batches(%q: tensor<2x3x16xf32>, %k: tensor<4x5x16xf32>, %v: tensor<5x6xf32>) -> tensor<2x3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the batch axes of queries 2x3x16, keys 4x5x16 and values 5x6 cannot be broadcast}}
  %y = graph.attention %q, %k, %v {scale = 1.0 : f64} : (tensor<2x3x16xf32>, tensor<4x5x16xf32>, tensor<5x6xf32>) -> tensor<2x3x6xf32>
  return %y : tensor<2x3x6xf32>
}

// -----

func.func @choice(%q: tensor<3x16xf32>, %k: tensor<5x16xf32>, %v: tensor<5x6xf32>, %kept: tensor<5x3xi1>) -> tensor<3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{operand 'choice' of shape 5x3 cannot be broadcast to 3x5}}
  %y = graph.attention %q, %k, %v choice %kept {scale = 1.0 : f64, fill = -1.0 : f64}
    : (tensor<3x16xf32>, tensor<5x16xf32>, tensor<5x6xf32>, tensor<5x3xi1>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

func.func @fill(%q: tensor<3x16xf32>, %k: tensor<5x16xf32>, %v: tensor<5x6xf32>, %kept: tensor<3x5xi1>) -> tensor<3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{'choice' and 'fill' must be given together}}
  %y = graph.attention %q, %k, %v choice %kept {scale = 1.0 : f64}
    : (tensor<3x16xf32>, tensor<5x16xf32>, tensor<5x6xf32>, tensor<3x5xi1>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}
