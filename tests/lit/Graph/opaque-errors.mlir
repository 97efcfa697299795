// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @present(%x: tensor<3x4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{has 1 operands, but 2 are marked as present, and its subgraphs read 0}}
  %y = graph.opaque "com.example" 3 "Fly"(%x) {} present [true, true] : (tensor<3x4xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// Operations of the dialect, other than opaque ones, do not accept dynamic dimensions.
func.func @open(%x: tensor<3x4xf32>) -> tensor<?x2xi64> {
  %p = graph.opaque "" 21 "NonZero"(%x) {} present [true] : (tensor<3x4xf32>) -> tensor<2x?xi64>
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %y = graph.transpose %p {perm = array<i64: 1, 0>} : (tensor<2x?xi64>) -> tensor<?x2xi64>
  return %y : tensor<?x2xi64>
}

// -----

func.func @captured(%x: tensor<3x4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{has 1 operands, but 1 are marked as present, and its subgraphs read 1}}
  %y = graph.opaque "" 21 "Loop"(%x) {body = #graph.body<["w"], "">} present [true] : (tensor<3x4xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @part_without_nodes(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{a part of the domain 'tilerig' has one subgraph, which reads all operands}}
  %y = graph.opaque "tilerig" 21 "Gather"(%x) {} present [true] : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
