// Stages of one partition lag behind each other, so that it is busy with another
// microbatch while the other partition works; what is between them has as many
// places as that needs. Numbers are those of one partition.
// RUN: smp-compile %s -o %t.smp --partitions 2
// RUN: smp-inspect %t.smp | FileCheck %s
// RUN: smp-compile %s -o %t.one.smp --partitions 1 --ignore-annotations
// RUN: smp-inspect %t.one.smp | FileCheck %s --check-prefix=ONE
// RUN: smp-run %t.smp --random 1 --microbatches 5 --output y=%t.npy
// RUN: smp-run %t.one.smp --random 1 --microbatches 5 --output y=%t.one.npy
// RUN: cmp %t.npy %t.one.npy

// CHECK: any number of microbatches
// CHECK: {{^ *stage .* predicted +lag$}}
// CHECK: {{^ *0 +predict_0 +0 .* 0$}}
// CHECK: {{^ *1 +predict_1 +1 .* 0$}}
// CHECK: {{^ *2 +predict_2 +0 .* 1$}}
// CHECK: {{^ *3 +predict_3 +1 .* 1$}}
// CHECK: stage 0 'predict_0' output 0{{ +}}stage 1 'predict_1' input {{.*}} 3
// CHECK: stage 0 'predict_0' output 0{{ +}}stage 3 'predict_3' input {{.*}} 3
// ONE: any number of microbatches
// ONE-NOT: lag

smp.variable @w0 parameter : tensor<64x64xf32> = #smp.uniform<-0.125, 0.125, 0>
smp.variable @w1 parameter : tensor<64x64xf32> = #smp.uniform<-0.125, 0.125, 1>
smp.variable @w2 parameter : tensor<64x64xf32> = #smp.uniform<-0.125, 0.125, 2>
smp.variable @w3 parameter : tensor<64x64xf32> = #smp.uniform<-0.125, 0.125, 3>
smp.entry @predict(%x: tensor<64x64xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<64x64xf32> {smp.name = "y", smp.batch_axis = 0 : i64}) {
  %w0 = smp.read @w0 : tensor<64x64xf32>
  %w1 = smp.read @w1 : tensor<64x64xf32>
  %w2 = smp.read @w2 : tensor<64x64xf32>
  %w3 = smp.read @w3 : tensor<64x64xf32>
  %0 = smp.dot_general %x, %w0 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<0, user>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = smp.dot_general %0, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<1, user>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = smp.dot_general %1, %w2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<0, user>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = smp.dot_general %2, %w3 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<1, user>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = smp.add %3, %0 {smp.placement = #smp.placement<1, user>} : tensor<64x64xf32>
  smp.return %y : tensor<64x64xf32>
}
