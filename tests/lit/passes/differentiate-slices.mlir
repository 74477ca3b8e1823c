// SPDX-License-Identifier: Apache-2.0
// RUN: smp-opt %s --smp-differentiate --smp-canonicalize | FileCheck %s

// Gradients of neighbouring slices are put side by side, not padded and added.
// CHECK-LABEL: smp.entry @neighbours
// CHECK-NOT: smp.pad
// CHECK: %[[DX:.*]] = smp.concat %{{.*}}, %{{.*}}, %{{.*}} {axis = 0
// CHECK-SAME: (tensor<2xf32>, tensor<1xf32>, tensor<3xf32>) -> tensor<6xf32>
// CHECK-NOT: smp.pad
// CHECK: smp.return %[[DX]]
smp.entry @neighbours(%x: tensor<6xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "dx"}) {
  %0 = smp.slice %x {starts = array<i64: 0>, limits = array<i64: 2>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %1 = smp.slice %x {starts = array<i64: 2>, limits = array<i64: 3>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<1xf32>
  %2 = smp.slice %x {starts = array<i64: 3>, limits = array<i64: 6>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<3xf32>
  %3 = smp.reduce sum_squares %0 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %4 = smp.reduce sum_squares %1 {dimensions = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
  %5 = smp.reduce sum_squares %2 {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<f32>
  %6 = smp.add %3, %4 : tensor<f32>
  %7 = smp.add %6, %5 : tensor<f32>
  %dx = smp.gradient %7 of %x : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
  smp.return %dx : tensor<6xf32>
}

// With zeros around them where nothing was taken.
// CHECK-LABEL: smp.entry @inside
// CHECK: %[[BOTH:.*]] = smp.concat
// CHECK-SAME: (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
// CHECK: smp.pad %[[BOTH]], %{{.*}} {high = array<i64: 2>, {{.*}}low = array<i64: 1>
// CHECK-NOT: smp.add
// CHECK: smp.return
smp.entry @inside(%x: tensor<6xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "dx"}) {
  %0 = smp.slice %x {starts = array<i64: 1>, limits = array<i64: 3>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %1 = smp.slice %x {starts = array<i64: 3>, limits = array<i64: 4>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<1xf32>
  %2 = smp.reduce sum_squares %0 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %3 = smp.reduce sum_squares %1 {dimensions = array<i64: 0>} : (tensor<1xf32>) -> tensor<f32>
  %4 = smp.sub %2, %3 : tensor<f32>
  %dx = smp.gradient %4 of %x : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
  smp.return %dx : tensor<6xf32>
}

// Slices that overlap, or leave something out between them, are added.
// CHECK-LABEL: smp.entry @apart
// CHECK-NOT: smp.concat
// CHECK-COUNT-3: smp.pad
// CHECK-NOT: smp.concat
smp.entry @apart(%x: tensor<6xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "dx"}) {
  %0 = smp.slice %x {starts = array<i64: 0>, limits = array<i64: 2>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %1 = smp.slice %x {starts = array<i64: 1>, limits = array<i64: 3>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %2 = smp.slice %x {starts = array<i64: 4>, limits = array<i64: 6>, strides = array<i64: 1>} : (tensor<6xf32>) -> tensor<2xf32>
  %3 = smp.mul %0, %1 : tensor<2xf32>
  %4 = smp.mul %3, %2 : tensor<2xf32>
  %5 = smp.reduce sum %4 {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<f32>
  %dx = smp.gradient %5 of %x : (tensor<f32>, tensor<6xf32>) -> tensor<6xf32>
  smp.return %dx : tensor<6xf32>
}
