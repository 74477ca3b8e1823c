// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A result of bf16 is rounded once: what is stored is what was widened.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<50xi16, 1> {llvm.align = 4 : i64, llvm.noalias}, %{{[a-z0-9]+}}: !llvm.ptr<1>
// CHECK: arith.negf
// CHECK: arith.cmpf uno
// CHECK-NOT: arith.cmpf
// CHECK: memref.store %{{.*}}, %[[Y]]{{.*}} : memref<50xi16, 1>
smp.entry @f(%x: tensor<50xbf16> {smp.name = "x"}) -> (tensor<50xbf16> {smp.name = "y"}) {
  %y = smp.neg %x : tensor<50xbf16>
  smp.return %y : tensor<50xbf16>
}
