// RUN: tilerig-opt %s -form-layers -canonicalize | FileCheck %s

// Images and weights get channels last; groups, dilations and uneven padding are kept. A computed bias is
// added after the product; a constant bias is the start value of the sum.
// CHECK-LABEL: func.func @conv
// CHECK: %[[X:.*]] = layer.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x9x8xf32>) -> tensor<1x9x8x4xf32>
// CHECK: %[[W:.*]] = layer.transpose %arg1 {perm = array<i64: 0, 2, 3, 1>} : (tensor<6x2x3x2xf32>) -> tensor<6x3x2x2xf32>
// CHECK: %[[Y:.*]] = layer.conv %[[X]], %[[W]] {dilations = array<i64: 2, 1>, groups = 2 : i64, pads = array<i64: 1, 0, 2, 1>, strides = array<i64: 2, 1>}
// CHECK-SAME: -> tensor<1x4x8x6xf32>
// CHECK: %[[Z:.*]] = layer.binary add %[[Y]], %arg2 : (tensor<1x4x8x6xf32>, tensor<6xf32>) -> tensor<1x4x8x6xf32>
// CHECK: layer.transpose %[[Z]] {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x8x6xf32>) -> tensor<1x6x4x8xf32>
func.func @conv(%x: tensor<1x4x9x8xf32>, %w: tensor<6x2x3x2xf32>, %b: tensor<6xf32>) -> tensor<1x6x4x8xf32> {
  %y = graph.conv %x, %w, %b {dilations = array<i64: 2, 1>, groups = 2 : i64, pads = array<i64: 1, 0, 2, 1>, strides = array<i64: 2, 1>}
    : (tensor<1x4x9x8xf32>, tensor<6x2x3x2xf32>, tensor<6xf32>) -> tensor<1x6x4x8xf32>
  return %y : tensor<1x6x4x8xf32>
}

// An image with one spatial axis becomes an image of one row.
// CHECK-LABEL: func.func @row
// CHECK: layer.reshape %{{.*}} : (tensor<1x9x4xf32>) -> tensor<1x1x9x4xf32>
// CHECK: layer.conv %{{.*}} {dilations = array<i64: 1, 2>, groups = 1 : i64, pads = array<i64: 0, 2, 0, 1>, strides = array<i64: 1, 3>}
// CHECK-SAME: (tensor<1x1x9x4xf32>, tensor<6x1x3x4xf32>) -> tensor<1x1x3x6xf32>
// CHECK: layer.pool max %{{.*}} {dilations = array<i64: 1, 1>, kernel = array<i64: 1, 2>, pads = array<i64: 0, 0, 0, 1>, strides = array<i64: 1, 1>}
func.func @row(%x: tensor<1x4x9xf32>, %w: tensor<6x4x3xf32>) -> tensor<1x6x3xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 2>, groups = 1 : i64, pads = array<i64: 2, 1>, strides = array<i64: 3>}
    : (tensor<1x4x9xf32>, tensor<6x4x3xf32>) -> tensor<1x6x3xf32>
  %z = graph.max_pool %y {dilations = array<i64: 1>, kernel = array<i64: 2>, pads = array<i64: 0, 1>, strides = array<i64: 1>} : (tensor<1x6x3xf32>) -> tensor<1x6x3xf32>
  return %z : tensor<1x6x3xf32>
}

// A transposed convolution. Rows: 4 rows with zeros between them are (4 - 1) * 2 + 1 = 7; with a kernel of 2,
// padding 3 becomes padding 2 - 1 - 3 = -2, so two rows are cut on each side. Columns: with a kernel of 3,
// padding 0 becomes 2.
// CHECK-LABEL: func.func @transposed
// CHECK: layer.dilate %{{.*}} {steps = array<i64: 2, 1>} : (tensor<1x4x4x3xf32>) -> tensor<1x7x4x3xf32>
// CHECK: layer.slice %{{.*}} {starts = array<i64: 0, 2, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x7x4x3xf32>) -> tensor<1x3x4x3xf32>
// CHECK: layer.conv %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 2, 0, 2>, strides = array<i64: 1, 1>}
// CHECK-SAME: -> tensor<1x2x6x5xf32>
func.func @transposed(%x: tensor<1x3x4x4xf32>, %w: tensor<3x5x2x3xf32>) -> tensor<1x5x2x6xf32> {
  %y = graph.conv_transpose %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, outputPadding = array<i64: 0, 0>, pads = array<i64: 3, 0, 3, 0>, strides = array<i64: 2, 1>}
    : (tensor<1x3x4x4xf32>, tensor<3x5x2x3xf32>) -> tensor<1x5x2x6xf32>
  return %y : tensor<1x5x2x6xf32>
}

// A constant right matrix is stored as outputs by depth; other matrices are unchanged.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[B:.*]] = layer.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK: layer.matmul %arg0, %[[B]] : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
// CHECK: layer.matmul %arg0, %arg1 {transposedB} : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
func.func @matmul(%a: tensor<4x2xf32>, %b: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %c = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %y = graph.matmul %a, %c : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %z = graph.matmul %a, %b : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %y, %z : tensor<4x3xf32>, tensor<4x3xf32>
}

// Integer inputs of the model get the scale with which the layer that reads them interprets them; weights
// keep one scale per output.
// CHECK-LABEL: func.func @qlinear_conv
// CHECK-SAME: %arg0: tensor<1x2x4x4x[[X:!quant.uniform<u8:f32, 5.000000e-01:128>]]>) -> tensor<1x3x4x4x[[Y:!quant.uniform<u8:f32, 2.500000e-01:3>]]>
// CHECK-DAG: %[[W:.*]] = layer.constant {{.*}} : tensor<3x1x1x2xi8> as tensor<3x1x1x2x[[WT:!quant.uniform<i8:f32:0, \{1.000000e\+00,2.000000e\+00,4.000000e\+00\}>]]>
// CHECK-DAG: %[[B:.*]] = layer.constant dense<[7, 8, 9]> : tensor<3xi32>
// CHECK: %[[T:.*]] = layer.transpose %arg0 {{.*}} -> tensor<1x4x4x2x[[X]]>
// CHECK: layer.conv %[[T]], %[[W]] bias %[[B]] {{.*}} : (tensor<1x4x4x2x[[X]]>, tensor<3x1x1x2x[[WT]]>, tensor<3xi32>) -> tensor<1x4x4x3x[[Y]]>
func.func @qlinear_conv(%x: tensor<1x2x4x4xui8>) -> tensor<1x3x4x4xui8> {
  %xs = graph.constant dense<0.5> : tensor<f32>
  %xz = graph.constant dense<128> : tensor<ui8>
  %w = graph.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]]> : tensor<3x2x1x1xi8>
  %ws = graph.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %wz = graph.constant dense<0> : tensor<3xi8>
  %ys = graph.constant dense<0.25> : tensor<f32>
  %yz = graph.constant dense<3> : tensor<ui8>
  %b = graph.constant dense<[7, 8, 9]> : tensor<3xi32>
  %y = graph.qlinear_conv %x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>, tensor<3x2x1x1xi8>, tensor<3xf32>, tensor<3xi8>, tensor<f32>, tensor<ui8>, tensor<3xi32>) -> tensor<1x3x4x4xui8>
  return %y : tensor<1x3x4x4xui8>
}

// Integer inputs get their reader's scale also if a layer in between only moves their elements. Scales by
// columns become scales by outputs.
// CHECK-LABEL: func.func @qlinear_matmul
// CHECK: %[[B:.*]] = layer.constant dense<{{.*}}> : tensor<3x2xi8> as tensor<3x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00,4.000000e+00}>>
// CHECK: %[[T:.*]] = layer.transpose %arg0 {{.*}} -> tensor<4x2x!quant.uniform<i8:f32, 5.000000e-01:1>>
// CHECK: layer.matmul %[[T]], %[[B]] : {{.*}} -> tensor<4x3x!quant.uniform<i8:f32, 2.500000e-01>>
func.func @qlinear_matmul(%x: tensor<2x4xi8>) -> tensor<4x3xi8> {
  %t = graph.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x4xi8>) -> tensor<4x2xi8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<1> : tensor<i8>
  %b = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %bs = graph.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %bz = graph.constant dense<0> : tensor<3xi8>
  %ys = graph.constant dense<0.25> : tensor<f32>
  %yz = graph.constant dense<0> : tensor<i8>
  %y = graph.qlinear_matmul %t, %s, %z, %b, %bs, %bz, %ys, %yz
    : (tensor<4x2xi8>, tensor<f32>, tensor<i8>, tensor<2x3xi8>, tensor<3xf32>, tensor<3xi8>, tensor<f32>, tensor<i8>) -> tensor<4x3xi8>
  return %y : tensor<4x3xi8>
}

// Results are the integer sums themselves, whatever the scale of the operands.
// CHECK-LABEL: func.func @matmul_integer
// CHECK-SAME: %arg0: tensor<4x2x!quant.uniform<u8:f32, 1.000000e+00:7>>
// CHECK: layer.matmul %arg0, %{{.*}} : (tensor<4x2x!quant.uniform<u8:f32, 1.000000e+00:7>>, tensor<3x2x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<4x3xi32>
func.func @matmul_integer(%x: tensor<4x2xui8>) -> tensor<4x3xi32> {
  %z = graph.constant dense<7> : tensor<ui8>
  %b = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %y = graph.matmul_integer %x, %b less %z : tensor<ui8> : tensor<4x2xui8>, tensor<2x3xi8> -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}

// CHECK-LABEL: func.func @conv_integer
// CHECK: %[[X:.*]] = layer.activate %arg0 {{.*}} -> tensor<1x2x3x3x!quant.uniform<u8:f32, 5.000000e-01:9>>
// CHECK: layer.conv %{{.*}} : (tensor<1x3x3x2x!quant.uniform<u8:f32, 5.000000e-01:9>>, tensor<1x1x1x2x!quant.uniform<i8:f32, 1.000000e+00:4>>) -> tensor<1x3x3x1xi32>
func.func @conv_integer(%x: tensor<1x2x3x3xf32>) -> tensor<1x1x3x3xi32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<9> : tensor<ui8>
  %w = graph.constant dense<[[[[1]], [[2]]]]> : tensor<1x2x1x1xi8>
  %wz = graph.constant dense<4> : tensor<i8>
  %q = graph.quantize_linear %x, %s, %z {axis = 1 : i64} : (tensor<1x2x3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x3x3xui8>
  %y = graph.conv_integer %q, %w less %z : tensor<ui8> weights_less %wz : tensor<i8> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x2x3x3xui8>, tensor<1x2x1x1xi8> -> tensor<1x1x3x3xi32>
  return %y : tensor<1x1x3x3xi32>
}

// An opaque operator for which the host has a kernel becomes a host layer.
// CHECK-LABEL: func.func @host
// CHECK: layer.host "NonZero"(%arg0) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
func.func @host(%x: tensor<2x3xf32>) -> tensor<2x6xi64> {
  %y = graph.opaque "" 21 "NonZero" (%x) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
  return %y : tensor<2x6xi64>
}

// The two axes that are not resized are taken as batch and channels, wherever they are in the shape.
// CHECK-LABEL: func.func @resize
// CHECK-NEXT: layer.resize nearest %arg0 {columns = array<i64: 2, 4, 0>, {{.*}}rows = array<i64: 2, 4, 0>} : (tensor<1x4x5x3xf32>) -> tensor<1x8x10x3xf32>
// CHECK-NEXT: layer.resize nearest %arg0 {columns = array<i64: 2, 6, 0>, {{.*}}rows = array<i64: 2, 2, 0>} : (tensor<1x4x5x3xf32>) -> tensor<1x4x15x3xf32>
// CHECK-NEXT: %[[T:.*]] = layer.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: %[[R:.*]] = layer.resize nearest %[[T]] {{.*}} (tensor<1x5x3x4xf32>) -> tensor<1x10x6x4xf32>
// CHECK-NEXT: layer.transpose %[[R]] {perm = array<i64: 0, 3, 1, 2>}
func.func @resize(%x: tensor<1x4x5x3xf32>) -> (tensor<1x8x10x3xf32>, tensor<1x4x15x3xf32>, tensor<1x4x10x6xf32>) {
  %a = graph.resize %x {scales = array<f32: 1.0, 2.0, 2.0, 1.0>, sizes = array<i64>, mode = 0 : i32, coordinates = 4 : i32, nearest = 2 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x4x5x3xf32>) -> tensor<1x8x10x3xf32>
  %b = graph.resize %x {scales = array<f32: 1.0, 1.0, 3.0, 1.0>, sizes = array<i64>, mode = 0 : i32, coordinates = 4 : i32, nearest = 2 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x4x5x3xf32>) -> tensor<1x4x15x3xf32>
  %c = graph.resize %x {scales = array<f32: 1.0, 1.0, 2.0, 2.0>, sizes = array<i64>, mode = 0 : i32, coordinates = 4 : i32, nearest = 2 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x4x5x3xf32>) -> tensor<1x4x10x6xf32>
  return %a, %b, %c : tensor<1x8x10x3xf32>, tensor<1x4x15x3xf32>, tensor<1x4x10x6xf32>
}

// CHECK-LABEL: func.func @known_bias
// CHECK: %[[B:.*]] = layer.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: layer.matmul %arg0, %arg1 bias %[[B]] : {{.*}} -> tensor<3x2xf32>
func.func @known_bias(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>) -> tensor<3x2xf32> {
  %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = graph.gemm %x, %w, %b {alpha = 1.0 : f32, beta = 1.0 : f32, transB} : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Every output has its own memory, so equal outputs become copies.
// CHECK-LABEL: func.func @copies
// CHECK: %[[R:.*]] = layer.activate by <relu> %arg0
// CHECK: %[[TWICE:.*]] = layer.activate %[[R]] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[INPUT:.*]] = layer.activate %arg0 : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: return %[[R]], %[[TWICE]], %[[INPUT]]
func.func @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = graph.relu %x : tensor<4xf32>
  return %r, %r, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The extreme of a tensor that is too long for one tile is taken of rows, which tiles share; a smaller tensor, a tensor
// of a prime number of elements, and a sum, whose order matters, are reduced at once.
// CHECK-LABEL: func.func @extremes
// CHECK: %[[R:.*]] = layer.reshape %arg0 : (tensor<9000x40xf32>) -> tensor<90x4000xf32>
// CHECK-NEXT: %[[A:.*]] = layer.reduce max %[[R]] {axes = array<i64: 1>} : (tensor<90x4000xf32>) -> tensor<90x1xf32>
// CHECK-NEXT: %[[B:.*]] = layer.reduce max %[[A]] {axes = array<i64: 0, 1>} : (tensor<90x1xf32>) -> tensor<1x1xf32>
// CHECK: layer.reduce min %arg1 {axes = array<i64: 0, 1>}
// CHECK: layer.reduce max %arg2 {axes = array<i64: 0>}
// CHECK: layer.reduce sum %arg0 {axes = array<i64: 0, 1>}
func.func @extremes(%x: tensor<9000x40xf32>, %y: tensor<300x400xf32>, %z: tensor<200003xf32>)
    -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1xf32>) {
  %a = graph.reduce_max %x {axes = array<i64: 0, 1>, keepdims} : (tensor<9000x40xf32>) -> tensor<1x1xf32>
  %b = graph.reduce_min %y {axes = array<i64: 0, 1>, keepdims} : (tensor<300x400xf32>) -> tensor<1x1xf32>
  %c = graph.reduce_max %z {axes = array<i64: 0>, keepdims} : (tensor<200003xf32>) -> tensor<1xf32>
  %d = graph.reduce_sum %x {axes = array<i64: 0, 1>, keepdims} : (tensor<9000x40xf32>) -> tensor<1x1xf32>
  return %a, %b, %c, %d : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1xf32>
}
