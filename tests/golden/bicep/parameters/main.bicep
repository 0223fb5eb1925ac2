param name string
param tags object
param count int = 1
@secure()
param password string
param region string
param rules array
