// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @shape() {
  // expected-error @+1 {{the value has shape 2, but the result has shape 3}}
  %y = layer.constant dense<1.0> : tensor<2xf32> as tensor<3xf32>
  return
}

// -----

func.func @type() {
  // expected-error @+1 {{the value has elements of type 'f32', which do not fit type 'f16'}}
  %y = layer.constant dense<1.0> : tensor<2xf32> as tensor<2xf16>
  return
}

// -----

func.func @wide() {
  // expected-error @+1 {{the value has elements of type 'i16', which do not fit type '!quant.uniform<i8:f32, 5.000000e-01>'}}
  %y = layer.constant dense<1> : tensor<2xi16> as tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

func.func @sign() {
  // expected-error @+1 {{the value has elements of type 'i8', which do not fit type '!quant.uniform<u8:f32, 5.000000e-01>'}}
  %y = layer.constant dense<1> : tensor<2xi8> as tensor<2x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

func.func @reals() {
  // expected-error @+1 {{the value has elements of type 'f32', which do not fit type '!quant.uniform<u8:f32, 5.000000e-01>'}}
  %y = layer.constant dense<1.0> : tensor<2xf32> as tensor<2x!quant.uniform<u8:f32, 0.5>>
  return
}
