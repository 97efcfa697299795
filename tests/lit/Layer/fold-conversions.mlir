// RUN: tilerig-opt %s -fold-conversions -canonicalize | FileCheck %s

!a = !quant.uniform<u8:f32, 0.5:10>
!b = !quant.uniform<u8:f32, 0.25>
!w = !quant.uniform<i8:f32, 0.125>

// The bias 1.0 becomes 16 in units of 0.5 * 0.125.
// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[W:.*]] = layer.constant dense<3> : tensor<1x2xi8> as
// CHECK-DAG: %[[BIAS:.*]] = layer.constant dense<16> : tensor<1xi32>
// CHECK: %[[Y:.*]] = layer.matmul %arg0, %[[W]] bias %[[BIAS]]
// CHECK-NEXT: return %[[Y]]
func.func @product(%x: tensor<4x2x!a>) -> tensor<4x1x!b> {
  %w = layer.constant dense<3> : tensor<1x2xi8> as tensor<1x2x!w>
  %bias = layer.constant dense<1.0> : tensor<1xf32> as tensor<1xf32>
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %wr = layer.activate %w : (tensor<1x2x!w>) -> tensor<1x2xf32>
  %y = layer.matmul %xr, %wr bias %bias : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<4x1xf32>
  %q = layer.activate %y : (tensor<4x1xf32>) -> tensor<4x1x!b>
  return %q : tensor<4x1x!b>
}

// Integers are moved without conversion to floats; a conversion and its inverse with the same scale cancel.
// CHECK-LABEL: func.func @movement
// CHECK: %[[T:.*]] = layer.transpose %arg0 {{.*}} -> tensor<2x4x!quant.uniform<u8:f32, 5.000000e-01:10>>
// CHECK-NEXT: return %[[T]]
func.func @movement(%x: tensor<4x2x!a>) -> tensor<2x4x!a> {
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %t = layer.transpose %xr {perm = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %q = layer.activate %t : (tensor<2x4xf32>) -> tensor<2x4x!a>
  return %q : tensor<2x4x!a>
}

// A conversion to reals and one to integers with another scale become one conversion of integers.
// CHECK-LABEL: func.func @other_scale
// CHECK: %[[Q:.*]] = layer.activate %arg0 : (tensor<4x2x!quant.uniform<u8:f32, 5.000000e-01:10>>) -> tensor<4x2x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK-NEXT: return %[[Q]]
func.func @other_scale(%x: tensor<4x2x!a>) -> tensor<4x2x!b> {
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %q = layer.activate %xr : (tensor<4x2xf32>) -> tensor<4x2x!b>
  return %q : tensor<4x2x!b>
}

// Scales for each channel stay two conversions.
// CHECK-LABEL: func.func @other_scale_of_channels
// CHECK: layer.activate %arg0
// CHECK-NEXT: layer.activate
func.func @other_scale_of_channels(%x: tensor<4x2x!quant.uniform<u8:f32:1, {0.5, 0.25}>>) -> tensor<4x2x!b> {
  %xr = layer.activate %x : (tensor<4x2x!quant.uniform<u8:f32:1, {0.5, 0.25}>>) -> tensor<4x2xf32>
  %q = layer.activate %xr : (tensor<4x2xf32>) -> tensor<4x2x!b>
  return %q : tensor<4x2x!b>
}

// A constant with a scale for each channel becomes a constant of reals, unless it is the weights of a product.
// CHECK-LABEL: func.func @constant_of_channels
// CHECK: %[[W:.*]] = layer.constant dense<{{\[\[}}1.500000e+00, 7.500000e-01], [1.500000e+00, 7.500000e-01]]> : tensor<2x2xf32>
// CHECK: layer.binary add %arg0, %[[W]]
func.func @constant_of_channels(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %w = layer.constant dense<3> : tensor<2x2xi8> as tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  %wr = layer.activate %w : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x2xf32>
  %y = layer.binary add %x, %wr : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Elementwise layers read and write every type, so conversions are folded into them.
// CHECK-LABEL: func.func @sum
// CHECK: %[[Y:.*]] = layer.binary add %arg0, %arg1 then <relu>
// CHECK-NEXT: return %[[Y]]
func.func @sum(%x: tensor<4x2x!a>, %z: tensor<4x2x!b>) -> tensor<4x2x!b> {
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %zr = layer.activate %z : (tensor<4x2x!b>) -> tensor<4x2xf32>
  %y = layer.binary add %xr, %zr then <relu> : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %q = layer.activate %y : (tensor<4x2xf32>) -> tensor<4x2x!b>
  return %q : tensor<4x2x!b>
}

// The float result has another reader, so its quantisation stays a layer.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[Y:.*]] = layer.binary add {{.*}} -> tensor<4x2xf32>
// CHECK: %[[Q:.*]] = layer.activate %[[Y]]
// CHECK: return %[[Y]], %[[Q]]
func.func @read_twice(%x: tensor<4x2x!a>) -> (tensor<4x2xf32>, tensor<4x2x!b>) {
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %y = layer.binary add %xr, %xr : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  %q = layer.activate %y : (tensor<4x2xf32>) -> tensor<4x2x!b>
  return %y, %q : tensor<4x2xf32>, tensor<4x2x!b>
}

// A different scale after the transpose leaves a conversion between the scales.
// CHECK-LABEL: func.func @rescaled
// CHECK: layer.activate
func.func @rescaled(%x: tensor<4x2x!a>) -> tensor<2x4x!b> {
  %xr = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %t = layer.transpose %xr {perm = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %q = layer.activate %t : (tensor<2x4xf32>) -> tensor<2x4x!b>
  return %q : tensor<2x4x!b>
}

// Between equal quantised types, relu becomes a bound of the integers and is fused into the product.
// CHECK-LABEL: func.func @bounded_product
// CHECK-NEXT: %[[Y:.*]] = layer.matmul %arg0, %arg1 then <relu> : {{.*}} -> tensor<4x3x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK-NEXT: return %[[Y]]
func.func @bounded_product(%x: tensor<4x2x!a>, %w: tensor<3x2x!w>) -> tensor<4x3x!b> {
  %p = layer.matmul %x, %w : (tensor<4x2x!a>, tensor<3x2x!w>) -> tensor<4x3x!b>
  %r = layer.activate %p : (tensor<4x3x!b>) -> tensor<4x3xf32>
  %f = layer.activate by <relu> %r : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %q = layer.activate %f : (tensor<4x3xf32>) -> tensor<4x3x!b>
  return %q : tensor<4x3x!b>
}

// Between different quantised types, a function becomes a table. After a product it stays a layer, since the
// product's result is already rounded.
// CHECK-LABEL: func.func @tables
// CHECK-NEXT: %[[P:.*]] = layer.matmul %arg0, %arg1 : {{.*}} -> tensor<4x3x!quant.uniform<u8:f32, 5.000000e-01:10>>
// CHECK-NEXT: %[[Y:.*]] = layer.activate by <relu> %[[P]] : {{.*}} -> tensor<4x3x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK-NEXT: %[[Z:.*]] = layer.activate by <abs> %arg0 : {{.*}} -> tensor<4x2x!quant.uniform<u8:f32, 5.000000e-01:10>>
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @tables(%x: tensor<4x2x!a>, %w: tensor<3x2x!w>) -> (tensor<4x3x!b>, tensor<4x2x!a>) {
  %p = layer.matmul %x, %w : (tensor<4x2x!a>, tensor<3x2x!w>) -> tensor<4x3x!a>
  %r = layer.activate %p : (tensor<4x3x!a>) -> tensor<4x3xf32>
  %f = layer.activate by <relu> %r : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %q = layer.activate %f : (tensor<4x3xf32>) -> tensor<4x3x!b>
  %s = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %g = layer.activate by <abs> %s : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %z = layer.activate %g : (tensor<4x2xf32>) -> tensor<4x2x!a>
  return %q, %z : tensor<4x3x!b>, tensor<4x2x!a>
}

// Not folded: a function with intermediate rounding; a float result with another reader; a product whose
// unbounded result has another reader.
// CHECK-LABEL: func.func @no_tables
// CHECK: layer.activate by <sigmoid> {{.*}} -> tensor<4x2xf32>
// CHECK: %[[R:.*]] = layer.activate by <relu> {{.*}} -> tensor<4x2xf32>
// CHECK: %[[P:.*]] = layer.matmul %arg0, %arg1 : {{.*}} -> tensor<4x3x!quant.uniform<u8:f32, 2.500000e-01>>
// CHECK: %[[B:.*]] = layer.activate by <relu> %[[P]]
// CHECK: return %{{.*}}, %[[R]], %{{.*}}, %[[P]], %[[B]]
func.func @no_tables(%x: tensor<4x2x!a>, %w: tensor<3x2x!w>)
    -> (tensor<4x2x!b>, tensor<4x2xf32>, tensor<4x2x!b>, tensor<4x3x!b>, tensor<4x3x!b>) {
  %s = layer.activate %x : (tensor<4x2x!a>) -> tensor<4x2xf32>
  %g = layer.activate by <sigmoid> %s : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = layer.activate %g : (tensor<4x2xf32>) -> tensor<4x2x!b>
  %r = layer.activate by <relu> %s : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %q = layer.activate %r : (tensor<4x2xf32>) -> tensor<4x2x!b>
  %p = layer.matmul %x, %w : (tensor<4x2x!a>, tensor<3x2x!w>) -> tensor<4x3x!b>
  %b = layer.activate by <relu> %p : (tensor<4x3x!b>) -> tensor<4x3x!b>
  return %y, %r, %q, %p, %b : tensor<4x2x!b>, tensor<4x2xf32>, tensor<4x2x!b>, tensor<4x3x!b>, tensor<4x3x!b>
}
