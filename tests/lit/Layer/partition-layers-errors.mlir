// RUN: tilerig-opt %s -partition-layers -split-input-file -verify-diagnostics

// expected-error @+1 {{the function must have exactly one block}}
func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
