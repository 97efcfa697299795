// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @sizes(%a: tensor<3x4xf32>, %b: tensor<5x6xf32>) -> tensor<3x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{term 'jk' does not fit an operand of type 'tensor<5x6xf32>'}}
  %y = graph.einsum %a, %b {equation = "ij,jk->ik"} : (tensor<3x4xf32>, tensor<5x6xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}

// -----

func.func @unknown_letter(%a: tensor<3x4xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the result 'ik' has a repeated letter, or a letter that no operand has}}
  %y = graph.einsum %a {equation = "ij->ik"} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @operands(%a: tensor<3x4xf32>) -> tensor<3xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{equation 'ij,jk->ik' does not fit 1 operands}}
  %y = graph.einsum %a {equation = "ij,jk->ik"} : (tensor<3x4xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
