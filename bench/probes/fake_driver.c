#define CUDA_API_PER_THREAD_DEFAULT_STREAM_NO
#include <cuda.h>
#include <stdlib.h>
#include <string.h>
static CUcontext cur; 
#define OK return CUDA_SUCCESS
CUresult cuInit(unsigned f){OK;}
CUresult cuCtxGetCurrent(CUcontext*c){*c=cur;OK;}
CUresult cuCtxPopCurrent(CUcontext*c){*c=cur;OK;}
CUresult cuCtxPushCurrent(CUcontext c){cur=c;OK;}
CUresult cuDeviceGet(CUdevice*d,int o){*d=o;OK;}
CUresult cuDeviceGetAttribute(int*v,CUdevice_attribute a,CUdevice d){switch(a){case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:*v=9;break;case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:*v=0;break;case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:*v=132;break;case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:*v=3201000;break;case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:*v=6016;break;case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:*v=62914560;break;case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:*v=2048;break;default:*v=0;}OK;}
CUresult cuDeviceGetCount(int*c){*c=1;OK;}
CUresult cuDeviceGetName(char*n,int l,CUdevice d){strncpy(n,"NVIDIA H200",l);OK;}
CUresult cuDeviceGetPCIBusId(char*n,int l,CUdevice d){strncpy(n,"0000:00:00.0",l);OK;}
CUresult cuDevicePrimaryCtxRelease(CUdevice d){OK;}
CUresult cuDevicePrimaryCtxRetain(CUcontext*c,CUdevice d){*c=(CUcontext)16;OK;}
CUresult cuDeviceTotalMem(size_t*b,CUdevice d){*b=150ull<<30;OK;}
CUresult cuDriverGetVersion(int*v){*v=13000;OK;}
CUresult cuEventCreate(CUevent*e,unsigned f){*e=(CUevent)8;OK;}
CUresult cuEventDestroy(CUevent e){OK;}
CUresult cuEventElapsedTime(float*f,CUevent a,CUevent b){*f=1;OK;}
CUresult cuEventRecord(CUevent e,CUstream s){OK;}
CUresult cuFuncGetAttribute(int*v,CUfunction_attribute a,CUfunction f){*v=32;OK;}
CUresult cuGetErrorName(CUresult r,const char**s){*s="E";OK;}
CUresult cuGetErrorString(CUresult r,const char**s){*s="e";OK;}
CUresult cuGraphDestroy(CUgraph g){OK;}
CUresult cuGraphExecDestroy(CUgraphExec g){OK;}
CUresult cuGraphInstantiateWithFlags(CUgraphExec*g,CUgraph h,unsigned long long f){*g=(CUgraphExec)8;OK;}
CUresult cuGraphLaunch(CUgraphExec g,CUstream s){OK;}
CUresult cuLaunchKernelEx(const CUlaunchConfig*c,CUfunction f,void**a,void**e){OK;}
CUresult cuMemAlloc(CUdeviceptr*p,size_t n){*p=(CUdeviceptr)aligned_alloc(512,(n+511)/512*512);OK;}
CUresult cuMemFree(CUdeviceptr p){free((void*)p);OK;}
CUresult cuMemFreeHost(void*p){free(p);OK;}
CUresult cuMemHostAlloc(void**p,size_t n,unsigned f){*p=aligned_alloc(512,(n+511)/512*512);OK;}
CUresult cuMemcpy(CUdeviceptr d,CUdeviceptr s,size_t n){memcpy((void*)d,(void*)s,n);OK;}
CUresult cuMemsetD8(CUdeviceptr d,unsigned char v,size_t n){memset((void*)d,v,n);OK;}
CUresult cuMemsetD8Async(CUdeviceptr d,unsigned char v,size_t n,CUstream s){memset((void*)d,v,n);OK;}
CUresult cuModuleGetFunction(CUfunction*f,CUmodule m,const char*n){*f=(CUfunction)8;OK;}
CUresult cuModuleLoadData(CUmodule*m,const void*d){*m=(CUmodule)8;OK;}
CUresult cuModuleUnload(CUmodule m){OK;}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int*n,CUfunction f,int b,size_t s){*n=2048/b;OK;}
CUresult cuPointerGetAttribute(void*v,CUpointer_attribute a,CUdeviceptr p){OK;}
CUresult cuStreamBeginCapture(CUstream s,CUstreamCaptureMode m){OK;}
CUresult cuStreamCreate(CUstream*s,unsigned f){static size_t n=4096;*s=(CUstream)(n+=512);OK;}
CUresult cuStreamDestroy(CUstream s){OK;}
CUresult cuStreamEndCapture(CUstream s,CUgraph*g){*g=(CUgraph)8;OK;}
CUresult cuStreamIsCapturing(CUstream s,CUstreamCaptureStatus*t){*t=0;OK;}
CUresult cuStreamSynchronize(CUstream s){OK;}
CUresult cuStreamWaitEvent(CUstream s,CUevent e,unsigned f){OK;}
CUresult cuMemGetInfo(size_t*a,size_t*b){*a=*b=1;OK;}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*m){OK;}
