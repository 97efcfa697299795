// Convolutions and pools of volumes become those of images.
// RUN: tilerig-opt %s -flatten-volumes -canonicalize | FileCheck %s

// The images that the kernel reads at three depths become channels of one convolution, two images at a time.
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[T:.*]] = graph.transpose %arg0 {perm = array<i64: 0, 2, 3, 4, 1>}
// CHECK-DAG: %[[P:.*]] = graph.pad %[[T]] {{.*}}pads = array<i64: 0, 1, 0, 0, 0, 0, 1, 0, 0, 0>
// CHECK-DAG: graph.slice %[[P]] {ends = array<i64: 1, 3, 5, 5, 2>, starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 2, 1, 1, 1>}
// CHECK-DAG: graph.slice %[[P]] {ends = array<i64: 1, 5, 5, 5, 2>, starts = array<i64: 0, 2, 0, 0, 0>, steps = array<i64: 1, 2, 1, 1, 1>}
// CHECK: graph.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 4 : i64}
// CHECK: %[[W:.*]] = graph.reshape %{{.*}} : (tensor<4x3x2x3x3xf32>) -> tensor<4x6x3x3xf32>
// CHECK: graph.conv %{{.*}}, %[[W]] {channelsLast, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<2x5x5x6xf32>, {{.*}} -> tensor<2x3x3x4xf32>
// CHECK: graph.transpose %{{.*}} {perm = array<i64: 0, 4, 1, 2, 3>} : (tensor<1x2x3x3x4xf32>) -> tensor<1x4x2x3x3xf32>
func.func @convolution(%x: tensor<1x2x3x5x5xf32>, %w: tensor<4x2x3x3x3xf32>) -> tensor<1x4x2x3x3xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1, 1, 1>, strides = array<i64: 2, 2, 2>}
    : (tensor<1x2x3x5x5xf32>, tensor<4x2x3x3x3xf32>) -> tensor<1x4x2x3x3xf32>
  return %y : tensor<1x4x2x3x3xf32>
}

// The mean over depths follows that over images.
// CHECK-LABEL: func.func @average
// CHECK: graph.average_pool %{{.*}} {{.*}}kernel = array<i64: 3, 3>{{.*}} : (tensor<4x5x5x2xf32>) -> tensor<4x3x3x2xf32>
// CHECK: %[[S:.*]] = graph.add
// CHECK: graph.mul %[[S]], %{{.*}}
func.func @average(%x: tensor<1x2x4x5x5xf32>) -> tensor<1x2x3x3x3xf32> {
  %y = graph.average_pool %x {dilations = array<i64: 1, 1, 1>, kernel = array<i64: 2, 3, 3>, pads = array<i64: 0, 1, 1, 0, 1, 1>, strides = array<i64: 1, 2, 2>}
    : (tensor<1x2x4x5x5xf32>) -> tensor<1x2x3x3x3xf32>
  return %y : tensor<1x2x3x3x3xf32>
}

// A maximum of a volume that is padded in depth becomes one over images and one along the depth, in an image whose rows
// are the depths and whose columns are the pixels.
// CHECK-LABEL: func.func @padded
// CHECK: %[[I:.*]] = graph.max_pool %{{.*}} {{.*}}kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<4x5x5x2xf32>) -> tensor<4x3x3x2xf32>
// CHECK: %[[R:.*]] = graph.reshape %[[I]] : (tensor<4x3x3x2xf32>) -> tensor<1x4x9x2xf32>
// CHECK: graph.max_pool %[[R]] {{.*}}kernel = array<i64: 3, 1>, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 2, 1>} : (tensor<1x4x9x2xf32>) -> tensor<1x2x9x2xf32>
func.func @padded(%x: tensor<1x2x4x5x5xf32>) -> tensor<1x2x2x3x3xf32> {
  %y = graph.max_pool %x {dilations = array<i64: 1, 1, 1>, kernel = array<i64: 3, 3, 3>, pads = array<i64: 1, 1, 1, 1, 1, 1>, strides = array<i64: 2, 2, 2>}
    : (tensor<1x2x4x5x5xf32>) -> tensor<1x2x2x3x3xf32>
  return %y : tensor<1x2x2x3x3xf32>
}

// A transposed convolution: zeros between the two images, and three images in front of the second that is read; the last
// tap of the kernel belongs to the first image.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[A:.*]] = graph.pad %{{.*}} {{.*}}pads = array<i64: 0, 0, 0, 0, 0, 0, 0, 1, 0, 0>{{.*}} : (tensor<1x2x1x25x2xf32>) -> tensor<1x2x2x25x2xf32>
// CHECK: graph.reshape %[[A]] : (tensor<1x2x2x25x2xf32>) -> tensor<1x4x5x5x2xf32>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, 5, 5, 5, 2>, starts = array<i64: 0, 2, 0, 0, 0>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, 4, 5, 5, 2>, starts = array<i64: 0, 1, 0, 0, 0>
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, 3, 5, 5, 2>, starts = array<i64: 0, 0, 0, 0, 0>
// CHECK: graph.conv_transpose %{{.*}} {{.*}}strides = array<i64: 1, 1>{{.*}} : (tensor<3x5x5x6xf32>, tensor<6x4x1x1xf32>) -> tensor<3x5x5x4xf32>
func.func @transposed(%x: tensor<1x2x2x5x5xf32>, %w: tensor<2x4x3x1x1xf32>) -> tensor<1x4x3x5x5xf32> {
  %y = graph.conv_transpose %x, %w {dilations = array<i64: 1, 1, 1>, groups = 1 : i64, outputPadding = array<i64: 0, 0, 0>, pads = array<i64: 1, 0, 0, 1, 0, 0>, strides = array<i64: 2, 1, 1>}
    : (tensor<1x2x2x5x5xf32>, tensor<2x4x3x1x1xf32>) -> tensor<1x4x3x5x5xf32>
  return %y : tensor<1x4x3x5x5xf32>
}

// A window that ends behind the volume, and a p-norm, which has no operation for the sum over depths.
// CHECK-LABEL: func.func @norm
// CHECK: graph.lp_pool %{{.*}} {ceilMode, {{.*}}kernel = array<i64: 1, 1>{{.*}}p = 3 : i64{{.*}} : (tensor<4x5x5x2xf32>) -> tensor<4x5x5x2xf32>
// CHECK: graph.lp_pool %{{.*}} {ceilMode, {{.*}}kernel = array<i64: 3, 1>{{.*}}p = 3 : i64{{.*}} : (tensor<1x4x25x2xf32>) -> tensor<1x2x25x2xf32>
func.func @norm(%x: tensor<1x2x4x5x5xf32>) -> tensor<1x2x2x5x5xf32> {
  %y = graph.lp_pool %x {ceilMode, dilations = array<i64: 1, 1, 1>, kernel = array<i64: 3, 1, 1>, p = 3 : i64, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 2, 1, 1>}
    : (tensor<1x2x4x5x5xf32>) -> tensor<1x2x2x5x5xf32>
  return %y : tensor<1x2x2x5x5xf32>
}

// CHECK-LABEL: func.func @global
// CHECK: graph.global_average_pool %{{.*}} {channelsLast} : (tensor<1x20x5x2xf32>) -> tensor<1x1x1x2xf32>
func.func @global(%x: tensor<1x2x4x5x5xf32>) -> tensor<1x2x1x1x1xf32> {
  %y = graph.global_average_pool %x : (tensor<1x2x4x5x5xf32>) -> tensor<1x2x1x1x1xf32>
  return %y : tensor<1x2x1x1x1xf32>
}

// Groups are concatenated each for itself.
// CHECK-LABEL: func.func @groups
// CHECK: graph.reshape %{{.*}} -> tensor<1x2x25x2x1xf32>
// CHECK: graph.concat %{{.*}}, %{{.*}} {axis = 4 : i64} : {{.*}} -> tensor<1x2x25x2x2xf32>
// CHECK: graph.conv %{{.*}} {channelsLast, {{.*}}groups = 2 : i64{{.*}} : (tensor<2x5x5x4xf32>, tensor<2x2x1x1xf32>) -> tensor<2x5x5x2xf32>
func.func @groups(%x: tensor<1x2x3x5x5xf32>, %w: tensor<2x1x2x1x1xf32>) -> tensor<1x2x2x5x5xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
    : (tensor<1x2x3x5x5xf32>, tensor<2x1x2x1x1xf32>) -> tensor<1x2x2x5x5xf32>
  return %y : tensor<1x2x2x5x5xf32>
}

// Elementwise operations come before the images become volumes, beside the convolutions that compute the images.
// CHECK-LABEL: func.func @elementwise
// CHECK: %[[C:.*]] = graph.conv
// CHECK: %[[A:.*]] = graph.add %[[C]], %arg1 : (tensor<4x5x5x2xf32>, tensor<4x5x5x2xf32>) -> tensor<4x5x5x2xf32>
// CHECK: %[[H:.*]] = graph.mul %[[A]], %{{.*}} : (tensor<4x5x5x2xf32>, tensor<f32>) -> tensor<4x5x5x2xf32>
// CHECK: %[[R:.*]] = graph.relu %[[H]] : tensor<4x5x5x2xf32>
// CHECK: graph.reshape %[[R]] : (tensor<4x5x5x2xf32>) -> tensor<2x2x5x5x2xf32>
func.func @elementwise(%x: tensor<4x5x5x2xf32>, %y: tensor<4x5x5x2xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<2x2x5x5x2xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %c = graph.conv %x, %w {channelsLast, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<4x5x5x2xf32>, tensor<2x2x1x1xf32>) -> tensor<4x5x5x2xf32>
  %a = graph.reshape %c : (tensor<4x5x5x2xf32>) -> tensor<2x2x5x5x2xf32>
  %b = graph.reshape %y : (tensor<4x5x5x2xf32>) -> tensor<2x2x5x5x2xf32>
  %d = graph.add %a, %b : (tensor<2x2x5x5x2xf32>, tensor<2x2x5x5x2xf32>) -> tensor<2x2x5x5x2xf32>
  %e = graph.mul %d, %half : (tensor<2x2x5x5x2xf32>, tensor<f32>) -> tensor<2x2x5x5x2xf32>
  %f = graph.relu %e : tensor<2x2x5x5x2xf32>
  return %f : tensor<2x2x5x5x2xf32>
}

// Volumes that are broadcast, though their images have the same shape, stay volumes.
// CHECK-LABEL: func.func @other_volumes
// CHECK: graph.add %{{.*}} -> tensor<4x4x5x5x2xf32>
func.func @other_volumes(%x: tensor<4x5x5x2xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<4x4x5x5x2xf32> {
  %c = graph.conv %x, %w {channelsLast, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<4x5x5x2xf32>, tensor<2x2x1x1xf32>) -> tensor<4x5x5x2xf32>
  %a = graph.reshape %c : (tensor<4x5x5x2xf32>) -> tensor<4x1x5x5x2xf32>
  %b = graph.reshape %c : (tensor<4x5x5x2xf32>) -> tensor<1x4x5x5x2xf32>
  %d = graph.add %a, %b : (tensor<4x1x5x5x2xf32>, tensor<1x4x5x5x2xf32>) -> tensor<4x4x5x5x2xf32>
  return %d : tensor<4x4x5x5x2xf32>
}

// What no convolution computes stays a volume: the split may have another meaning, such as windows of attention.
// CHECK-LABEL: func.func @not_computed
// CHECK: graph.relu %{{.*}} : tensor<2x2x5x5x2xf32>
func.func @not_computed(%x: tensor<4x5x5x2xf32>) -> tensor<2x2x5x5x2xf32> {
  %a = graph.reshape %x : (tensor<4x5x5x2xf32>) -> tensor<2x2x5x5x2xf32>
  %b = graph.relu %a : tensor<2x2x5x5x2xf32>
  return %b : tensor<2x2x5x5x2xf32>
}
