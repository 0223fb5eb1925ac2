param location string = resourceGroup().location

resource logs 'Microsoft.Storage/storageAccounts@2021-09-01' = {
  name: 'logs${uniqueString(resourceGroup().id)}'
  location: location
  kind: 'StorageV2'
  sku: {
    name: 'Standard_LRS'
  }
  properties: {
    allowBlobPublicAccess: false
    minimumTlsVersion: 'TLS1_2'
  }
}

resource orders 'Microsoft.DocumentDB/databaseAccounts@2020-03-01' = {
  name: 'orders-${uniqueString(resourceGroup().id)}'
  location: location
  properties: {
    databaseAccountOfferType: 'Standard'
    ipRangeFilter: '192.0.2.0/24'
    locations: [
      {
        locationName: location
      }
    ]
  }
}

resource catalog 'Microsoft.Search/searchServices@2021-06-06-preview' = {
  name: 'catalog-${uniqueString(resourceGroup().id)}'
  location: location
  sku: {
    name: 'basic'
  }
}

output blobs string = logs.properties.primaryEndpoints.blob
